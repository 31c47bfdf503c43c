"""Do 95 % intervals of corrected rates hold the truth 95 times in 100? Seeded simulations.

The tolerance is three standard errors of what 2,000 simulations can show (1.5 %), and 1.5 % more
for intervals that are right only in large samples.
"""

from collections.abc import Callable

import numpy as np
import pytest

from apps.metrics.arrays import Floats
from apps.metrics.calibration.ppi import ppi
from apps.metrics.calibration.rates import rate
from apps.metrics.calibration.rogan_gladen import Share, rogan_gladen
from apps.metrics.contracts import Interval

SIMULATIONS = 2000
TOLERANCE = 3 * float(np.sqrt(0.95 * 0.05 / SIMULATIONS)) + 0.015

Simulation = Callable[[np.random.Generator], Interval]


def covered(simulate: Simulation, truth: float, seed: int) -> float:
    rng = np.random.default_rng(seed)
    held = []
    for _ in range(SIMULATIONS):
        found = simulate(rng)
        assert found.low is not None
        assert found.high is not None
        held.append(found.low <= truth <= found.high)
    return float(np.mean(held))


def population(
    rng: np.random.Generator, size: int, passing: float, se: float, sp: float
) -> tuple[Floats, Floats]:
    human = rng.random(size) < passing
    judge = rng.random(size) < np.where(human, se, 1 - sp)
    return human.astype(float), judge.astype(float)


@pytest.mark.parametrize(
    ("passing", "se", "sp", "n", "units"),
    [
        (0.7, 0.9, 0.8, 150, 1_000),
        (0.5, 0.95, 0.9, 200, 20_000),
        (0.85, 0.6, 0.5, 200, 1_000),
        (0.7, 0.9, 0.8, 300, 330),
    ],
)
def test_ppi_covers(passing: float, se: float, sp: float, n: int, units: int) -> None:
    def simulate(rng: np.random.Generator) -> Interval:
        human, judge = population(rng, units, passing, se, sp)
        return ppi(human[:n], judge[:n], np.ones(n), judge)[0]

    assert abs(covered(simulate, passing, seed=31) - 0.95) < TOLERANCE


# What the judge failed is labelled five times as often as what it passed.
def weighted_sample(rng: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats]:
    human, judge = population(rng, 1_500, 0.7, 0.9, 0.8)
    probability = np.where(judge == 1, 0.1, 0.5)
    drawn = rng.random(1_500) < probability
    return human[drawn], judge[drawn], 1 / probability[drawn], judge


def test_ppi_covers_where_units_are_drawn_with_unequal_probability() -> None:
    def simulate(rng: np.random.Generator) -> Interval:
        return ppi(*weighted_sample(rng))[0]

    def naive(rng: np.random.Generator) -> Interval:
        human, judge, weights, judged = weighted_sample(rng)
        return ppi(human, judge, np.ones_like(weights), judged)[0]

    assert abs(covered(simulate, 0.7, seed=32) - 0.95) < TOLERANCE
    # Without its weight a unit that the judge failed counts five times too much.
    assert covered(naive, 0.7, seed=32) < 0.95 - TOLERANCE


# It is worth no more units than there are, though here the design makes it worth more.
def test_weighted_rates_cover() -> None:
    def simulate(rng: np.random.Generator) -> Interval:
        human, judge, weights, _ = weighted_sample(rng)
        return rate(judge[human == 1] == 1, weights[human == 1], nothing="none")

    assert covered(simulate, 0.9, seed=33) > 0.95 - TOLERANCE


# Lang and Reiczigel's interval is a little conservative, most where rates are near 0 or 1: it may
# cover up to 98 %, never less than the tolerance allows.
@pytest.mark.parametrize(
    ("passing", "se", "sp", "n", "units"),
    [(0.7, 0.9, 0.8, 200, 1_000), (0.3, 0.8, 0.95, 100, 500), (0.95, 0.9, 0.9, 400, 2_000)],
)
def test_rogan_gladen_covers(passing: float, se: float, sp: float, n: int, units: int) -> None:
    def simulate(rng: np.random.Generator) -> Interval:
        half = n // 2
        return rogan_gladen(
            Share(rng.binomial(units, passing * se + (1 - passing) * (1 - sp)) / units, units),
            Share(rng.binomial(half, se) / half, half),
            Share(rng.binomial(half, sp) / half, half),
        )

    share = covered(simulate, passing, seed=34)

    assert 0.95 - TOLERANCE < share < 0.98


def test_the_judges_own_rate_does_not_cover() -> None:
    def simulate(rng: np.random.Generator) -> Interval:
        judge = population(rng, 1_000, 0.7, 0.9, 0.8)[1]
        return rate(judge == 1, np.ones(1_000), nothing="none")

    assert covered(simulate, 0.7, seed=35) < 0.9


def test_where_nothing_contradicts_three_in_n_is_enough() -> None:
    def simulate(rng: np.random.Generator) -> Interval:
        human, judge = population(rng, 20_000, 0.7, 1.0, 0.97)
        return ppi(human[:60], judge[:60], np.ones(60), judge)[0]

    assert covered(simulate, 0.7, seed=36) > 0.95 - TOLERANCE
