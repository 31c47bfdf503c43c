"""What several trials of one record make of its score."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.grading.trials import Over, over_trials

WAYS: tuple[Over, ...] = ("mean", "pass_any", "pass_all", "interval")
SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=50)


@pytest.mark.parametrize(("how", "expected"), [("mean", 0.7), ("pass_any", 0.9), ("pass_all", 0.5)])
def test_trials_become_one_score(how: Over, expected: float) -> None:
    assert over_trials([0.5, 0.7, 0.9], how) == pytest.approx(expected)


def test_the_interval_gives_its_lower_bound_by_students_t() -> None:
    # by hand: mean 0.7, s 0.2, t(0.975, 2) 4.30265
    expected = 0.7 - 4.30265 * 0.2 / math.sqrt(3)

    assert over_trials([0.5, 0.7, 0.9], "interval") == pytest.approx(expected, abs=1e-5)


def test_the_interval_of_trials_without_spread_is_their_score() -> None:
    assert over_trials([0.6], "interval") == 0.6
    assert over_trials([0.6, 0.6, 0.6], "interval") == pytest.approx(0.6)


def test_the_lower_bound_is_never_below_zero() -> None:
    assert over_trials([0.0, 1.0], "interval") == 0.0


@pytest.mark.parametrize("how", WAYS)
def test_no_trial_with_a_score_gives_none(how: Over) -> None:
    assert over_trials([], how) is None


@given(SCORES)
def test_the_ways_are_in_their_order_and_within_the_scale(values: list[float]) -> None:
    score = {how: over_trials(values, how) or 0.0 for how in WAYS}

    assert 0 <= score["interval"] <= score["mean"] + 1e-9
    assert score["pass_all"] <= score["mean"] + 1e-9
    assert score["mean"] <= score["pass_any"] + 1e-9 <= 1 + 1e-9
