"""A metric over runs in their order: does it go up, go down, or can nobody say."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from apps.metrics.arrays import Floats
from apps.metrics.contracts import LEVEL, Interval
from apps.metrics.ranked import Trend, TrendVerdict

FEWEST = 3
"""Two values always lie on a line."""
METHOD = "random-effects regression, t"
_HALVINGS = 60
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True)
class Slopes:
    """One entry per series; `half` is that of the 95 % interval of the slope."""

    slope: Floats
    intercept: Floats
    half: Floats
    p: Floats


def trend(points: Sequence[Interval], *, higher_is_better: bool, threshold: float = 0.01) -> Trend:
    """What the values do from run to run; `threshold` has the metric's unit a run.

    A run without a value keeps its place in the order and counts for nothing. How exact a value is
    follows from its interval: half its width / 1.96; one with one bound goes by that half, one
    without any by what is usual among the others for so many records. The plain line's r_squared
    (least squares over the values) is None where all values are alike.
    """
    known = [(place, one) for place, one in enumerate(points) if one.point is not None]
    if len(known) < FEWEST:
        return _nothing(len(known), threshold)
    places = np.array([place for place, _ in known], dtype=np.float64)
    values = np.array([one.point for _, one in known], dtype=np.float64)
    found = slopes(places, values[None, :], standard_errors([one for _, one in known])[None, :])
    slope = _interval(found, len(known))
    verdict, reason = _verdict(slope, higher_is_better, threshold)
    return Trend(
        slope=slope,
        intercept=float(found.intercept[0]),
        r_squared=r_squared(places, values),
        p=float(found.p[0]),
        threshold=threshold,
        verdict=verdict,
        reason=reason,
    )


def slopes(places: Floats, values: Floats, errors: Floats) -> Slopes:
    """The slope of each series of values over the places, with what is sure of it.

    Shapes: places runs, at least three; values and errors (standard errors, 0 or more) series ×
    runs. Runs differ by more than the drawing of records, so each value has the variance error² +
    tau², with one tau² a series by Paule and Mandel (1982): the smallest that makes the residuals
    no larger than expected. The interval is Student's t with runs - 2 degrees of freedom and never
    narrower than the errors alone make it: Knapp and Hartung (2003, Statistics in Medicine 22,
    2693), modified for the factor to be at least 1. Runs of the same records err alike, which
    makes it wider than it had to be, never narrower.
    """
    from scipy import stats

    free = len(places) - 2
    unit = _unit(values)
    values, errors = values / unit[:, None], errors / unit[:, None]
    variances = np.maximum(errors**2, _NEGLIGIBLE**2)  # one of 0 would force the line there
    between = _between(places, values, variances)
    slope, intercept, spread, misfit = _line(places, values, variances + between[:, None])
    deviation = np.sqrt(np.maximum(1, misfit / free) / spread)
    t = np.divide(np.abs(slope), deviation, out=np.full_like(slope, np.inf), where=deviation > 0)
    return Slopes(
        slope=slope * unit,
        intercept=intercept * unit,
        half=float(stats.t.ppf((1 + LEVEL) / 2, free)) * deviation * unit,
        p=np.where(slope == 0, 1.0, 2 * stats.t.sf(t, free)),
    )


def standard_errors(points: Sequence[Interval]) -> Floats:
    """Of each value, from its interval; 0 where no value has an interval with a width."""
    from scipy import stats

    halves = np.array([_half(one) for one in points])
    sizes = np.array([max(one.n, 1) for one in points], dtype=np.float64)
    errors = halves / float(stats.norm.ppf((1 + LEVEL) / 2))
    sure = errors > 0
    if not sure.any():
        return np.zeros(len(points))
    # An interval without width is one of too few values, not of an exact one.
    usual = float(np.median(errors[sure] * np.sqrt(sizes[sure])))
    return np.where(sure, errors, usual / np.sqrt(sizes))


def r_squared(places: Floats, values: Floats) -> float | None:
    """The share of the values' variance that the plain line through them explains."""
    scaled = values / _unit(values[None, :])
    whole = float(((scaled - scaled.mean()) ** 2).sum())
    if whole <= _NEGLIGIBLE:
        return None
    plain = _line(places, scaled[None, :], np.ones((1, len(scaled))))
    return min(max(1 - float(plain[3][0]) / whole, 0.0), 1.0)


def _unit(values: Floats) -> Floats:
    """The largest of each series, so that squares stay in the floats."""
    largest = np.abs(values).max(axis=1)
    return np.where(largest > 0, largest, 1.0)


def _between(places: Floats, values: Floats, variances: Floats) -> Floats:
    """The variance between runs beyond their errors, 0 where the errors explain all scatter."""
    free = len(places) - 2
    plain = _line(places, values, np.ones_like(values))[3]
    low, high = np.zeros(len(values)), plain / free
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = _line(places, values, variances + middle[:, None])[3] > free
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    explained = _line(places, values, variances)[3] <= free
    return np.where(explained, 0.0, high)


def _line(
    places: Floats, values: Floats, variances: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Per series: slope, intercept, 1 / the slope's variance, weighted sum of squared residuals."""
    weights = 1 / variances
    total = weights.sum(axis=1)
    center = (weights * places).sum(axis=1) / total
    mean = (weights * values).sum(axis=1) / total
    away = places - center[:, None]
    spread = (weights * away**2).sum(axis=1)
    slope = (weights * away * (values - mean[:, None])).sum(axis=1) / spread
    intercept = mean - slope * center
    residuals = values - intercept[:, None] - slope[:, None] * places
    return slope, intercept, spread, (weights * residuals**2).sum(axis=1)


def _half(one: Interval) -> float:
    if one.point is None or (one.low is None and one.high is None):
        return np.nan
    if one.low is None or one.high is None:
        bound = one.low if one.high is None else one.high
        return abs(one.point - bound) if bound is not None else np.nan
    return (one.high - one.low) / 2


def _interval(found: Slopes, n: int) -> Interval:
    slope, half = float(found.slope[0]), float(found.half[0])
    return Interval(point=slope, low=slope - half, high=slope + half, n=n, method=METHOD)


def _verdict(slope: Interval, higher_is_better: bool, threshold: float) -> tuple[TrendVerdict, str]:
    low, high = slope.low or 0.0, slope.high or 0.0
    if low > 0 or high < 0:
        rises = low > 0
        words = f"the interval of the slope lies {'above' if rises else 'below'} 0"
        less = "" if higher_is_better else ", and lower is better"
        return ("improving" if rises == higher_is_better else "degrading"), words + less
    if -threshold <= low and high <= threshold:
        return "stable", "the interval of the slope holds 0 and nothing beyond the threshold"
    return (
        "inconclusive",
        "the interval of the slope holds 0 and reaches beyond the threshold: it takes more runs, "
        "or more records in each",
    )


def _nothing(n: int, threshold: float) -> Trend:
    runs = "1 run has" if n == 1 else f"{n} runs have"
    reason = f"{runs} a value: a trend takes at least {FEWEST}"
    slope = Interval(point=None, low=None, high=None, n=n, method=METHOD, reason=reason)
    return Trend(
        slope=slope,
        intercept=None,
        r_squared=None,
        p=None,
        threshold=threshold,
        verdict="inconclusive",
        reason=reason,
    )
