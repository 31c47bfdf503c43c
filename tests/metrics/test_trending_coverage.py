"""How often the slope's interval holds the truth, and how often a trend is seen where none is."""

import numpy as np
import pytest

from apps.metrics.arrays import Floats
from apps.metrics.intervals import wilson
from apps.metrics.trending import Slopes, slopes

SERIES = 8_000
TOLERANCE = 4 * np.sqrt(0.05 * 0.95 / SERIES)
"""Four standard errors of a simulated 95 %."""
SLOPE = 0.004
RUNS = (3, 4, 5, 8, 12, 20)


def simulated(runs: int, errors: Floats, between: float, slope: float) -> Slopes:
    """Runs that scatter around their line by `between` beyond what their records explain."""
    rng = np.random.default_rng([runs, int(1000 * between), 17])
    places = np.arange(runs, dtype=np.float64)
    noise = rng.standard_normal((2, SERIES, runs))
    values = 0.8 + slope * places + noise[0] * errors + noise[1] * between
    return slopes(places, values, np.broadcast_to(errors, values.shape))


def covers(found: Slopes, slope: float) -> float:
    return float((np.abs(found.slope - slope) <= found.half).mean())


def alike(runs: int) -> Floats:
    return np.full(runs, 0.02)


def unlike(runs: int) -> Floats:
    """Every third run has a twentieth of the others' records."""
    return np.where(np.arange(runs) % 3 == 0, 0.052, 0.0126)


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("between", [0.0, 0.01, 0.05])
def test_the_interval_holds_the_slope_however_runs_scatter(runs: int, between: float) -> None:
    found = simulated(runs, alike(runs), between, SLOPE)

    assert covers(found, SLOPE) >= 0.95 - TOLERANCE


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("between", [0.0, 0.01])
def test_also_where_runs_have_very_different_numbers_of_records(runs: int, between: float) -> None:
    found = simulated(runs, unlike(runs), between, SLOPE)

    assert covers(found, SLOPE) >= 0.94 - TOLERANCE


@pytest.mark.parametrize("runs", RUNS)
def test_at_the_worst_it_holds_the_slope_in_more_than_nine_of_ten(runs: int) -> None:
    """Few records in every third run and three points of scatter besides: what it is known by."""
    assert covers(simulated(runs, unlike(runs), 0.03, SLOPE), SLOPE) >= 0.92


@pytest.mark.parametrize("between", [0.0, 0.05])
def test_with_many_runs_it_is_no_wider_than_it_must_be(between: float) -> None:
    found = simulated(40, alike(40), between, SLOPE)

    assert covers(found, SLOPE) <= 0.97


@pytest.mark.parametrize("runs", RUNS)
def test_real_pass_rates_without_a_trend_show_one_in_a_twentieth_at_most(runs: int) -> None:
    rng = np.random.default_rng(runs)
    sizes = np.full(runs, 200.0)
    shares = rng.binomial(200, 0.85, (SERIES, runs)) / sizes
    lows, highs = wilson(shares, np.broadcast_to(sizes, shares.shape))
    errors = (highs - lows) / 2 / 1.96

    found = slopes(np.arange(runs, dtype=np.float64), shares, errors)

    false = (np.abs(found.slope) > found.half).mean()
    assert false <= 0.05 + TOLERANCE
    assert ((found.p < 0.05) == (np.abs(found.slope) > found.half)).all()


def test_a_trend_that_is_there_is_found() -> None:
    found = simulated(12, alike(12), 0.0, 0.01)

    assert (found.slope - found.half > 0).mean() > 0.99
