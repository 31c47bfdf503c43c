"""Reliability: a judge's scores against how often people pass."""

import numpy as np
import pytest

from apps.metrics.reliability import reliability

NAN = float("nan")


def test_bins_hold_their_lower_edge_and_the_last_one_both() -> None:
    found = reliability([0.0, 0.1, 0.95, 1.0], [0, 0, 1, 1])

    assert [each.passed.n for each in found.bins] == [1, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    assert (found.bins[0].low, found.bins[-1].high) == (0, 1)


def test_the_error_is_the_mean_distance_by_how_many_units_a_bin_holds() -> None:
    """Guo et al. 2017, equation 3, by hand: (4 · |0.25 - 0.05| + 6 · |0.5 - 0.95|) / 10."""
    scores = [0.05] * 4 + [0.95] * 6
    passed = [1, 0, 0, 0, 1, 1, 1, 0, 0, 0]

    found = reliability(scores, passed)

    assert found.error == pytest.approx((4 * 0.20 + 6 * 0.45) / 10)
    assert found.n == 10


def test_a_bin_says_the_share_that_people_passed_with_wilsons_interval() -> None:
    found = reliability([0.32, 0.38] * 10, [1, 0] * 10)

    inside = found.bins[3]
    assert inside.score == pytest.approx(0.35)
    assert (inside.passed.point, inside.passed.n) == (0.5, 20)
    assert inside.passed.low == pytest.approx(0.299, abs=0.001)  # Wilson, 10 of 20
    assert inside.passed.high == pytest.approx(0.701, abs=0.001)


def test_what_lacks_a_label_or_a_score_is_left_out_and_counted() -> None:
    found = reliability([0.5, 0.5, NAN, NAN], [1, NAN, 1, NAN])

    assert (found.n, found.unlabelled, found.unscored) == (1, 1, 1)
    assert sum(each.passed.n for each in found.bins) == found.n


def test_without_any_unit_there_is_no_error_and_each_bin_says_why() -> None:
    found = reliability([], [])

    assert found.error is None
    assert {each.passed.reason for each in found.bins} == {"no score lies here"}


def test_units_count_by_how_unlikely_they_were_drawn() -> None:
    """Three failures drawn with probability 1 stand beside one pass drawn with 1/3."""
    found = reliability([0.5] * 4, [1, 0, 0, 0], [3, 1, 1, 1])

    assert found.bins[5].passed.point == pytest.approx(0.5)
    assert found.error == pytest.approx(0.0)


def test_a_judge_whose_scores_are_probabilities_has_hardly_an_error() -> None:
    scores = np.random.default_rng(7).random(20_000)
    passed = np.random.default_rng(8).random(20_000) < scores

    found = reliability(scores, passed)

    assert found.error is not None
    assert found.error < 0.01
