"""How small a difference shows, and how many records a difference takes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.metrics.comparing import Measure, detectable, needed

from .test_comparing_coverage import SIMULATIONS, changed, rejected
from .two_runs import simulated, whole


def test_the_records_needed_are_those_of_the_formula() -> None:
    found = needed(0.05, 0.2)

    # (1.959964 + 0.841621)² (0.2 - 0.0025) / 0.0025 = 620.06, Connor 1987.
    assert (found.n, found.difference, found.discordance, found.reason) == (621, 0.05, 0.2, "")


def test_the_smallest_difference_is_the_inverse_of_the_records_needed() -> None:
    assert detectable(0.2, 620.06, binary=True) == pytest.approx(0.05, abs=1e-5)


@given(st.floats(0.01, 0.9), st.floats(0.01, 1), st.booleans())
def test_so_many_records_as_are_needed_show_the_difference(
    difference: float, discordance: float, binary: bool
) -> None:
    found = needed(difference, discordance, binary=binary)
    assert found.n is not None

    shown = detectable(found.discordance, found.n, binary=binary)

    assert shown is not None
    assert shown <= difference * (1 + 1e-6)


def test_a_difference_takes_as_many_changes_as_it_has_points() -> None:
    assert needed(0.3, 0.1).discordance == 0.3
    assert needed(0.3, 0.1, binary=False).discordance == 0.1


@pytest.mark.parametrize("binary", [True, False])
def test_no_verdict_is_below_twenty_records(binary: bool) -> None:
    assert needed(1, 1, binary=binary).n == 20


@pytest.mark.parametrize(("difference", "why"), [(0, "a difference of 0"), (1.2, "more than 1")])
def test_what_no_number_shows_has_none_and_says_why(difference: float, why: str) -> None:
    found = needed(difference, 0.2)

    assert found.n is None
    assert why in found.reason


def test_a_drop_takes_as_many_records_as_a_gain() -> None:
    assert needed(-0.05, 0.2) == needed(0.05, 0.2)


def test_without_a_change_the_rule_of_three_says_how_many_may_change() -> None:
    assert detectable(0, 300) == detectable(3 / 300, 300)


def test_nothing_is_detectable_without_records() -> None:
    assert detectable(0.1, 0) is None


def test_many_slices_show_less_each() -> None:
    alone, among = detectable(0.1, 300), detectable(0.1, 300, tests=20)

    assert alone is not None
    assert among is not None
    assert among / alone == pytest.approx((3.0233 + 0.8416) / 2.8016, rel=0.02)


# Below 200 records by the exact test; from there on it is a little stricter than the formula.
@pytest.mark.parametrize(
    ("n", "discordance", "lowest"),
    [
        (20, 0.3, 0.77),
        (20, 0.6, 0.77),
        (40, 0.3, 0.77),
        (100, 0.1, 0.77),
        (100, 0.3, 0.77),
        (217, 0.1, 0.72),
        (400, 0.05, 0.72),
        (1000, 0.2, 0.75),
    ],
)
def test_the_detectable_difference_of_pass_rates_shows_four_times_in_five(
    n: int, discordance: float, lowest: float
) -> None:
    difference = detectable(discordance, n, binary=True)
    assert difference is not None
    changes = max(discordance, difference)
    before, after = changed(np.random.default_rng(61), n, changes, difference)

    power = rejected(simulated(before, after, binary=True))

    assert lowest < power < 0.83


def test_of_sixty_slices_each_has_a_detectable_difference() -> None:
    found = [detectable(0.2 + i / 1000, 100 + i, binary=True, tests=60) for i in range(60)]

    assert all(found)


def test_where_hardly_a_record_changes_the_detectable_difference_shows_too() -> None:
    difference = detectable(0, 400, binary=True)
    assert difference is not None
    before, after = changed(np.random.default_rng(62), 400, difference, difference)

    power = rejected(simulated(before, after, binary=True))

    assert 0.72 < power < 0.88


@pytest.mark.parametrize("n", [20, 30, 100, 500])
def test_the_detectable_difference_of_scores_shows_four_times_in_five(n: int) -> None:
    difference = detectable(0.25, n)
    assert difference is not None
    rng = np.random.default_rng(63)
    spread = math.sqrt(0.25 - difference**2)
    after = rng.normal(difference, spread, (SIMULATIONS, n))

    power = rejected(simulated(np.zeros_like(after), after))

    assert 0.76 < power < 0.83


def test_the_detectable_difference_of_groups_shows_four_times_in_five() -> None:
    rng = np.random.default_rng(64)
    index = np.broadcast_to(np.repeat(np.arange(80), 5), (SIMULATIONS, 400))
    effect = rng.normal(0, 0.4, (SIMULATIONS, 80)).repeat(5, axis=1)
    scores = effect + rng.normal(0, 0.4, (SIMULATIONS, 400))
    nothing = np.zeros(400)
    found = [whole(Measure("score", nothing, row), index[0]).detectable or 0 for row in scores[:60]]

    power = rejected(simulated(np.zeros_like(scores), scores + np.mean(found), index))

    assert abs(power - 0.8) < 0.04
