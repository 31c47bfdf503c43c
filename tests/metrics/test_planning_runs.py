"""How many runs show a trend: the formula, simulated, and what has no answer."""

import numpy as np
import pytest

from apps.metrics.contracts import Interval
from apps.metrics.planning import runs_for_slope
from apps.metrics.trending import slopes


def a_slope(half: float, n: int) -> Interval:
    return Interval(point=0.0, low=-half, high=half, n=n, method="told")


def test_so_many_runs_show_the_slope_four_times_in_five() -> None:
    rng = np.random.default_rng(54)
    found = []

    for scatter, change in ((0.02, 0.01), (0.05, 0.01), (0.01, 0.01)):
        # Of 5 runs: t(3) = 3.182, and the squares of their places are 10.
        runs = runs_for_slope(a_slope(3.182 * scatter / 10**0.5, 5), change)
        assert runs is not None
        values = 0.5 + change * np.arange(runs) + rng.normal(0, scatter, (3000, runs))
        p = slopes(np.arange(runs, dtype=float), values, np.zeros_like(values)).p
        found.append(float((p < 0.05).mean()))

    # Student's t of the power is on the careful side, and a run more of so few is much.
    assert min(found) > 0.79
    assert max(found) < 0.92


def test_one_run_less_is_not_enough() -> None:
    # (t(.975, 9) + t(.8, 9)) · 0.03 / √110 = 0.0090, and of 10 runs (2.306 + .889) · .03 / √82.5.
    assert runs_for_slope(a_slope(3.182 * 0.03 / 10**0.5, 5), 0.0090) == 11
    assert runs_for_slope(a_slope(3.182 * 0.03 / 10**0.5, 5), 0.0106) == 10


@pytest.mark.parametrize(
    ("slope", "change"),
    [
        (Interval(point=None, low=None, high=None, n=2, method="told", reason="too few"), 0.01),
        (a_slope(0.1, 5), 0.0),
        (a_slope(1e9, 5), 0.01),
    ],
)
def test_what_no_number_of_runs_shows_has_none(slope: Interval, change: float) -> None:
    assert runs_for_slope(slope, change) is None
