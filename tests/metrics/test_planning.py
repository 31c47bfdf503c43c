"""How many records it takes: textbook sizes, simulated power, and what slices lack."""

import math

import numpy as np
import pytest

from apps.metrics.compared import Difference, Moves
from apps.metrics.comparing.power import needed
from apps.metrics.comparing.proportions import mcnemar
from apps.metrics.contracts import Interval
from apps.metrics.intervals import mean, rate, rates
from apps.metrics.planning import (
    Part,
    design_effect,
    detectable_by,
    discordance_of,
    independent_discordance,
    records_for_interval,
    records_for_rate,
    records_needed,
    slice_plans,
)


# Connor 1987 and Miller 2024 give (1.96 + 0.84)² (d - δ²) / δ².
@pytest.mark.parametrize(
    ("difference", "discordance", "n"),
    [(0.05, 0.2, 620), (0.02, 0.1, 1955), (0.01, 0.1, 7842)],
)
def test_records_for_a_difference_are_those_of_the_formula(
    difference: float, discordance: float, n: int
) -> None:
    assert needed(difference, discordance).n == pytest.approx(n, abs=2)


def test_so_many_records_show_the_difference_four_times_in_five() -> None:
    rng = np.random.default_rng(51)

    for difference, discordance in ((0.03, 0.1), (0.05, 0.25), (0.1, 0.3)):
        n = needed(difference, discordance).n or 0
        up, down = (discordance + difference) / 2, (discordance - difference) / 2
        moved = rng.multinomial(n, [up, down, 1 - discordance], size=4000)
        power = (mcnemar(moved[:, 0].astype(float), moved[:, 1].astype(float)) < 0.05).mean()

        # The exact test is more careful than the formula's normal: 76 % where 70 records change,
        # 79 % where some hundreds do.
        assert 0.75 < power < 0.82


@pytest.mark.parametrize(
    ("share", "half", "n"),
    [
        (0.5, 0.05, 381),  # Wald's 385 less about z²
        (0.5, 0.1, 93),
        (0.9, 0.03, 385),
        (1.0, 0.05, 35),
    ],
)
def test_records_for_a_rate_give_the_half_width_and_one_less_does_not(
    share: float, half: float, n: int
) -> None:
    found = records_for_rate(share, half)

    assert found == pytest.approx(n, abs=3)
    assert _half(share, found) <= half + 1e-12
    assert _half(share, found - 1) > half


def _half(share: float, n: int) -> float:
    from apps.metrics.wilson import bounds

    low, high = bounds(share, n)
    return (high - low) / 2


def test_independent_answers_differ_in_two_p_times_one_minus_p_of_the_records() -> None:
    assert independent_discordance(rate(800, 1000), binary=True) == pytest.approx(0.32)


def test_scores_differ_by_twice_their_variance_where_they_are_independent() -> None:
    rng = np.random.default_rng(52)
    first, second = rng.beta(4, 2, 4000), rng.beta(4, 2, 4000)

    found = independent_discordance(mean(first), binary=False)

    assert found == pytest.approx(float(((first - second) ** 2).mean()), rel=0.1)


def test_nothing_measured_has_no_discordance() -> None:
    assert independent_discordance(rate(0, 0), binary=True) is None
    assert independent_discordance(mean([0.5]), binary=False) is None


def a_difference(interval: Interval, *, binary: bool, better: int, worse: int) -> Difference:
    same = interval.n - better - worse
    return Difference(
        metric="pass_rate" if binary else "score_mean",
        binary=binary,
        higher_is_better=True,
        moves=Moves(better=better, worse=worse, same=same, error=0, unscored=0),
        baseline=interval,
        candidate=interval,
        difference=interval,
        p=0.5,
        test="told",
        verdict="inconclusive",
        reason="told",
        detectable=None,
    )


def test_two_runs_tell_their_discordance_by_the_records_that_changed() -> None:
    interval = Interval(point=0.02, low=-0.03, high=0.07, n=200, method="tango")

    assert discordance_of(a_difference(interval, binary=True, better=20, worse=16)) == 0.18


def test_two_runs_tell_their_discordance_of_scores_by_the_width_of_the_interval() -> None:
    changes = np.random.default_rng(53).normal(0.02, 0.3, 2000)
    interval = mean(changes)

    found = discordance_of(a_difference(interval, binary=False, better=1, worse=1))

    assert found == pytest.approx(float((changes**2).mean()), rel=0.1)


def test_runs_without_a_common_record_tell_no_discordance() -> None:
    nothing = Interval(point=None, low=None, high=None, n=0, method="tango", reason="no pair")

    assert discordance_of(a_difference(nothing, binary=True, better=0, worse=0)) is None


def test_slices_say_what_they_show_and_what_they_lack() -> None:
    parts = [Part("tag", "big", 1000), Part("tag", "middle", 100), Part("tag", "small", 7)]

    big, middle, small = slice_plans(parts, difference=0.05, discordance=0.2, binary=True)

    assert (big.lacking, middle.lacking, small.lacking) == (0, 521, 614)
    assert (big.too_few, middle.too_few, small.too_few) == (False, False, True)
    assert big.detectable == pytest.approx(0.0395, abs=0.0005)
    assert small.detectable is None


def test_no_slice_is_big_enough_for_a_difference_of_nothing() -> None:
    [plan] = slice_plans([Part("tag", "a", 100)], difference=0, discordance=0.2, binary=True)

    assert plan.lacking is None


def test_a_slice_is_never_big_enough_below_twenty() -> None:
    [plan] = slice_plans([Part("tag", "a", 12)], difference=0.9, discordance=0.9, binary=True)

    assert plan.lacking == 8


def test_no_verdict_is_given_below_twenty_so_no_difference_takes_fewer() -> None:
    assert records_needed(0.9, 0.9, binary=True).n == 20
    assert records_needed(0.0, 0.2, binary=True).n is None
    assert detectable_by(0.2, 19, binary=True) is None
    assert detectable_by(0.2, 20, binary=True) is not None


def test_records_of_groups_are_multiplied_by_what_one_independent_is_worth() -> None:
    grouped = rates([80], [100], effective=np.array([40.0]))[0]

    effect = design_effect(grouped, 100)

    assert effect == pytest.approx(2.5)
    assert records_needed(0.05, 0.2, binary=True, design=2.5).n == pytest.approx(2.5 * 620, abs=5)
    assert detectable_by(0.2, 250, binary=True, design=2.5) == detectable_by(0.2, 100, binary=True)
    [plan] = slice_plans(
        [Part("tag", "a", 100)], difference=0.05, discordance=0.2, binary=True, design=2.5
    )
    assert plan.lacking == pytest.approx(2.5 * 620 - 100, abs=5)


def test_records_that_are_independent_are_worth_themselves() -> None:
    assert design_effect(rate(80, 100), 100) == pytest.approx(1)
    assert design_effect(rate(100, 100), 100) == pytest.approx(1)
    assert design_effect(rates([9], [30], effective=np.array([np.nan]))[0], 10) is None


def test_an_interval_takes_records_and_not_tries() -> None:
    # Ten records of three tries each, worth 24 independent tries: 2.4 a record.
    tried = rates([15], [30], effective=np.array([24.0]))[0]

    found = records_for_interval(tried, 0.1, records=10, is_rate=True)

    assert found == math.ceil(93 / 2.4)
    assert records_for_interval(rate(15, 30), 0.1, records=30, is_rate=True) == 93


def test_an_interval_of_a_mean_narrows_by_the_square_root_of_the_records() -> None:
    values = Interval(point=0.5, low=0.3, high=0.7, n=50, method="bootstrap")

    assert records_for_interval(values, 0.1, records=50, is_rate=False) == 200
