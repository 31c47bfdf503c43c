"""Runs of one mean that differ in how: how often is a verdict on any of their slices false?

Steady runs against all-or-nothing ones, through `compare`; the flips alone said 14 to 93 in 100.
"""

from collections.abc import Callable

import numpy as np
import pytest

from apps.metrics.arrays import Floats
from apps.metrics.comparing import Measure, compare

from .test_comparing_coverage import SIMULATIONS, rejected, tolerance
from .two_runs import pairs_of, simulated

FAMILIES = 100
Draw = Callable[[np.random.Generator, int], tuple[Floats, Floats]]


def all_or_nothing(rng: np.random.Generator, n: int, share: float) -> Floats:
    return (rng.random(n) < share).astype(float)


def steady(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    return np.full(n, 0.9), all_or_nothing(rng, n, 0.9)


def nearly_steady(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    return rng.choice([0.85, 0.9, 0.95], n), all_or_nothing(rng, n, 0.9)


def quarters(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    return rng.choice([0.75, 1.0], n, p=[0.4, 0.6]), all_or_nothing(rng, n, 0.9)


def betas(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    return rng.beta(80, 20, n), rng.beta(1.6, 0.4, n)


def trials(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    return rng.binomial(4, 0.9, n) / 4, all_or_nothing(rng, n, 0.9)


@pytest.mark.parametrize(
    ("draw", "slices", "size"),
    [
        (steady, 10, 20),
        (steady, 10, 30),
        (steady, 30, 25),
        (steady, 10, 100),
        (nearly_steady, 10, 20),
        (nearly_steady, 30, 25),
        (quarters, 10, 20),
        (quarters, 30, 25),
        (betas, 10, 20),
        (betas, 30, 25),
        (trials, 10, 30),
    ],
)
def test_runs_of_one_mean_get_a_verdict_on_any_slice_at_most_five_times_in_a_hundred(
    draw: Draw, slices: int, size: int
) -> None:
    rng = np.random.default_rng([slices, size])
    places = np.arange(slices * size).reshape(slices, size)
    parts = {("part", str(i)): rows for i, rows in enumerate(places)}
    wrong = 0
    for _ in range(FAMILIES):
        measure = Measure("score", *draw(rng, slices * size))
        found = compare(pairs_of(slices * size), [measure], parts, seed=1, sliced=["score"])[1]
        wrong += any(one.verdict != "inconclusive" for one in found)

    assert wrong / FAMILIES < 0.05 + tolerance(0.05, FAMILIES)


@pytest.mark.parametrize("draw", [steady, nearly_steady, quarters, betas])
def test_a_single_comparison_of_twenty_records_is_not_fooled_either(draw: Draw) -> None:
    flat = draw(np.random.default_rng(71), SIMULATIONS * 20)

    found = simulated(*(side.reshape(SIMULATIONS, 20) for side in flat))

    assert rejected(found) < 0.05 + tolerance(0.05)


# Amounts have no range to bound them by: what skewness costs is taken out as far as it can be.
@pytest.mark.parametrize(("n", "highest"), [(20, 0.066), (60, 0.06), (200, 0.05)])
def test_lognormal_amounts_are_judged_falsely_no_more_often_than_it_says(
    n: int, highest: float
) -> None:
    amounts = np.random.default_rng(72).lognormal(0, 1, (SIMULATIONS, n))

    found = simulated(np.full_like(amounts, np.exp(0.5)), amounts)

    assert rejected(found) < highest + tolerance(0.05)


@pytest.mark.parametrize(("n", "found_by_flips"), [(20, 0.77), (30, 0.785), (40, 0.785)])
def test_what_it_takes_costs_normal_differences_few_points_of_power(
    n: int, found_by_flips: float
) -> None:
    rng = np.random.default_rng(73)
    after = rng.normal(2.8016 * 0.25 / np.sqrt(n), 0.25, (SIMULATIONS, n))

    power = rejected(simulated(np.zeros_like(after), after))

    assert power > found_by_flips - 0.05 - tolerance(0.8) / 3
