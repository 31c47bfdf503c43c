"""The worst slice of a run."""

from collections.abc import Callable, Sequence

from apps.metrics.contracts import TOO_FEW, Interval, Metric

METHOD = "lowest of the slices"
LONGEST_FAMILY, LONGEST_VALUE = 30, 40
"""Of a slice in a reason: a reason that names two is one line, of 200 characters at most."""


def worst_slice(rates: Sequence[Metric]) -> Metric:
    """The lowest pass rate of all slices that have at least 20 records with a verdict.

    Point, low and high are the lowest of the slices' points and bounds: every slice has at least
    a rate exactly where the lowest has, by whichever of them one judges. They are not corrected
    for how many slices there are. `reason` names the slice with the lowest point, and the one
    with the lowest lower bound where that is another.
    """
    told = [rate for rate in rates if not rate.too_few and rate.interval.point is not None]
    return Metric(metric="worst_slice", interval=_lowest(told, len(rates)), too_few=not told)


def _lowest(told: Sequence[Metric], slices: int) -> Interval:
    if not told:
        return Interval(point=None, low=None, high=None, n=0, method=METHOD, reason=_none(slices))
    lowest = min(told, key=lambda rate: rate.interval.point or 0.0)
    return Interval(
        point=lowest.interval.point,
        low=_least(told, lambda one: one.low),
        high=_least(told, lambda one: one.high),
        n=lowest.n,
        method=METHOD,
        reason=_reason(told, lowest),
    )


def _least(told: Sequence[Metric], bound: Callable[[Interval], float | None]) -> float | None:
    """None where one slice has no such bound: nobody knows then which is the lowest."""
    bounds = [bound(rate.interval) for rate in told]
    known = [each for each in bounds if each is not None]
    return min(known) if len(known) == len(bounds) else None


def _reason(told: Sequence[Metric], lowest: Metric) -> str:
    unbounded = next((rate for rate in told if rate.interval.low is None), None)
    if unbounded is not None:
        return f"{_named(lowest)}; {_named(unbounded)} has no interval"
    bounded = min(told, key=lambda rate: rate.interval.low or 0.0)
    if bounded is lowest:
        return _named(lowest)
    return f"{_named(lowest)}; lowest lower bound: {_named(bounded)}"


def _named(rate: Metric) -> str:
    family, value = _clipped(rate.family, LONGEST_FAMILY), _clipped(rate.value, LONGEST_VALUE)
    return f"{family}: {value} (n = {rate.n:,})"


def _clipped(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _none(slices: int) -> str:
    if not slices:
        return "the records have nothing to slice them by"
    return f"none of {slices:,} slices has {TOO_FEW} records with a verdict: too few to say"
