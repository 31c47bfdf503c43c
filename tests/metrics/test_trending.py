"""The slope of a metric over runs: by textbook, at the edges, and the verdict in words."""

import pytest

from apps.metrics.contracts import Interval
from apps.metrics.intervals import mean, rate
from apps.metrics.trending import trend

ANSCOMBE = (4.26, 5.68, 7.24, 4.82, 6.95, 8.81, 8.04, 8.33, 10.84, 7.58, 9.96)
"""The first of the four sets of Anscombe (1973), whose x are 4, 5 … 14, in their order."""


def exactly(value: float | None) -> Interval:
    """A value that says nothing of how exact it is."""
    return Interval(point=value, low=None, high=None, n=1, method="", reason="one value")


def between(low: float, high: float, n: int = 100) -> Interval:
    return Interval(point=(low + high) / 2, low=low, high=high, n=n, method="")


def nothing() -> Interval:
    return Interval(point=None, low=None, high=None, n=0, method="", reason="no run")


def test_without_intervals_it_is_the_regression_of_the_textbook() -> None:
    found = trend([exactly(value) for value in ANSCOMBE], higher_is_better=True)

    half = 2.262157 * 0.1179
    assert found.slope.point == pytest.approx(0.5001, abs=5e-5)
    assert found.intercept == pytest.approx(3.0001 + 4 * 0.5001, abs=5e-4)
    assert found.r_squared == pytest.approx(0.6665, abs=5e-5)
    assert found.p == pytest.approx(0.00217, abs=5e-6)
    assert found.slope.high == pytest.approx(0.5001 + half, abs=2e-4)
    assert found.slope.low == pytest.approx(0.5001 - half, abs=2e-4)
    assert found.slope.n == 11


def test_exact_values_weigh_more() -> None:
    """By hand: weights 1, 1 and 1/4 over 0, 1, 2 with values 0, 1, 4 lie around the line
    -0.125 + 1.5 x, whose residuals the errors explain."""
    wide = 1.96 * 2
    points = [between(-1.96, 1.96), between(1 - 1.96, 1 + 1.96), between(4 - wide, 4 + wide)]

    found = trend(points, higher_is_better=True)

    weights, xs, ys = (1, 1, 0.25), (0, 1, 2), (0, 1, 4)
    center = sum(w * x for w, x in zip(weights, xs, strict=True)) / 2.25
    spread = sum(w * (x - center) ** 2 for w, x in zip(weights, xs, strict=True))
    slope = sum(w * (x - center) * y for w, x, y in zip(weights, xs, ys, strict=True)) / spread
    assert found.slope.point == pytest.approx(slope, rel=1e-4)
    assert found.slope.high is not None
    assert found.slope.high - slope == pytest.approx(12.7062 / spread**0.5, rel=1e-4)


def test_a_clear_rise_improves_and_of_a_latency_degrades() -> None:
    rising = [rate(700 + 25 * run, 1000) for run in range(8)]

    better = trend(rising, higher_is_better=True)
    worse = trend(rising, higher_is_better=False)

    assert (better.verdict, worse.verdict) == ("improving", "degrading")
    assert better.reason == "the interval of the slope lies above 0"
    assert worse.reason == "the interval of the slope lies above 0, and lower is better"
    assert trend(rising[::-1], higher_is_better=True).verdict == "degrading"


def test_a_slow_fall_that_is_sure_is_no_stability() -> None:
    falling = [rate(90_000 - 200 * run, 100_000) for run in range(20)]

    found = trend(falling, higher_is_better=True)

    assert found.slope.low is not None
    assert found.slope.low > -found.threshold
    assert found.verdict == "degrading"


def test_many_records_without_change_are_stable_and_few_say_nothing() -> None:
    many = trend([rate(8_000, 10_000)] * 6, higher_is_better=True)
    few = trend([rate(16, 20)] * 6, higher_is_better=True)

    assert (many.verdict, few.verdict) == ("stable", "inconclusive")
    assert "more records in each" in few.reason
    assert many.r_squared is None, "nothing varies: no share of it can be explained"


@pytest.mark.parametrize("values", [0, 1, 2])
def test_fewer_than_three_values_are_no_trend(values: int) -> None:
    found = trend(
        [rate(80 + run, 100) for run in range(values)] + [nothing()], higher_is_better=True
    )

    assert found.verdict == "inconclusive"
    assert found.slope.point is None
    assert found.p is None
    assert found.reason.endswith("a value: a trend takes at least 3")
    assert found.slope.n == values


def test_a_run_without_a_value_keeps_its_place() -> None:
    whole = [exactly(value) for value in (0.0, 1.0, 2.1, 3.0)]
    gap = [whole[0], whole[1], nothing(), whole[2], whole[3]]

    assert trend(gap, higher_is_better=True).slope.point == pytest.approx(
        (0 * -2 + 1 * -1 + 2.1 * 1 + 3 * 2) / 10
    )
    assert trend(whole, higher_is_better=True).slope.point == pytest.approx(1.01)


def test_an_interval_without_width_does_not_pull_the_line_to_it() -> None:
    alike = mean([1.0] * 20)
    others = [mean([0.5, 1.0, 0.9, 0.7] * 5, seed=run) for run in range(6)]

    found = trend([alike, *others], higher_is_better=True)

    assert (alike.low, alike.high) == (1.0, 1.0)
    assert found.intercept is not None
    assert found.intercept < 0.97
    assert found.verdict == "inconclusive"


def test_one_known_bound_says_how_exact_a_value_is() -> None:
    open_above = Interval(
        point=900.0, low=800.0, high=None, n=30, method="", reason="an upper bound takes 59"
    )
    points = [open_above, *(between(800.0, 1000.0, 30) for _ in range(4))]

    found = trend(points, higher_is_better=False, threshold=1000)

    assert found.slope.point == pytest.approx(0)
    assert found.verdict == "stable"


def test_values_that_are_all_alike_and_exact_are_stable() -> None:
    found = trend([exactly(0.0)] * 4, higher_is_better=True)

    assert (found.slope.point, found.slope.low, found.slope.high) == pytest.approx(
        (0, 0, 0), abs=1e-9
    )
    assert found.verdict == "stable"


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_units_of_any_size_are_the_same_trend(unit: float) -> None:
    plain = trend([exactly(value) for value in ANSCOMBE], higher_is_better=True)
    found = trend([exactly(value * unit) for value in ANSCOMBE], higher_is_better=True)

    assert (found.p, found.r_squared) == pytest.approx((plain.p, plain.r_squared))
    assert found.verdict == "improving"
