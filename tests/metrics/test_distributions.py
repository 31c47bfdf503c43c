"""Histograms: every value is in one bin, and a long tail does not flatten the rest."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.metrics.contracts import nice_step
from apps.metrics.distributions import MOST_BINS, latencies, scores


def test_scores_fall_into_tenths_and_a_one_into_the_last() -> None:
    shape = scores([0.0, 0.05, 0.3, 0.95, 1.0])

    assert shape.edges == (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    assert shape.counts == (2, 0, 0, 1, 0, 0, 0, 0, 0, 2)
    assert (shape.count, shape.minimum, shape.maximum) == (5, 0.0, 1.0)
    assert shape.mean == pytest.approx(0.46)


def test_nothing_to_draw_is_an_empty_shape_without_a_mean() -> None:
    shape = latencies([float("nan")])

    assert (shape.edges, shape.counts, shape.count, shape.above) == ((), (), 0, 0)
    assert (shape.mean, shape.minimum, shape.maximum) == (None, None, None)


def test_latencies_have_round_bins_from_zero() -> None:
    shape = latencies(np.random.default_rng(1).lognormal(6.6, 0.3, 5000))

    assert shape.edges[:3] == (0, 100, 200)
    assert len(shape.counts) <= MOST_BINS


def test_one_call_of_a_minute_lies_above_the_bins() -> None:
    shape = latencies([*range(100, 1100), 60_000])

    assert shape.edges[-1] == 2100
    assert (shape.above, shape.maximum) == (1, 60_000)


def test_latencies_far_from_zero_are_not_squeezed_into_one_bin() -> None:
    shape = latencies(np.linspace(10_000, 10_100, 500))

    assert len(shape.counts) > 10
    assert shape.edges[0] == 10_000


@given(st.lists(st.floats(0, 1e7, allow_nan=False), min_size=1))
def test_every_latency_is_counted_once(values: list[float]) -> None:
    shape = latencies(values)

    assert sum(shape.counts) + shape.above == shape.count == len(values)
    assert 1 <= len(shape.counts) <= MOST_BINS
    assert len(shape.edges) == len(shape.counts) + 1
    json.dumps(shape.model_dump(), allow_nan=False)


@pytest.mark.parametrize(
    ("span", "most", "step"), [(3000, 30, 100), (0.4, 6, 0.1), (7, 5, 2), (11, 5, 2.5)]
)
def test_a_step_is_the_smallest_round_one_that_fits(span: float, most: int, step: float) -> None:
    assert nice_step(span, most) == pytest.approx(step)
