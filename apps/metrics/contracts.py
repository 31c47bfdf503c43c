"""What the statistics say; nothing here computes, so every door may import it at no cost."""

import math

from pydantic import FiniteFloat, model_validator

from apps.contract import Contract

LEVEL = 0.95
TOO_FEW = 20
"""Fewer records than these are no ground to judge by."""
_NICE = (1, 2, 2.5, 5, 10)


class Interval(Contract):
    """An estimate from n observations; what cannot be computed is None and `reason` says why."""

    point: FiniteFloat | None
    low: FiniteFloat | None
    high: FiniteFloat | None
    n: int
    method: str
    reason: str = ""
    level: float = LEVEL

    @model_validator(mode="after")
    def _absence_has_a_reason(self) -> "Interval":
        if None in (self.point, self.low, self.high) and not self.reason:
            raise ValueError("an interval without its point or a bound must say why")
        return self


class Distribution(Contract):
    """Counts between edges; `above` counts what lies beyond the last edge, in a long tail.

    A bin holds its lower edge, the last one both. Without a value, mean, minimum and maximum
    are None.
    """

    edges: tuple[FiniteFloat, ...]
    counts: tuple[int, ...]
    above: int = 0
    count: int
    mean: FiniteFloat | None
    minimum: FiniteFloat | None
    maximum: FiniteFloat | None


class Metric(Contract):
    """One number of the whole run (family and value '') or of a slice.

    `too_few`: fewer than 20 records stand behind it, so nobody should judge by it.
    """

    family: str = ""
    value: str = ""
    metric: str
    interval: Interval
    too_few: bool
    shape: Distribution | None = None

    @property
    def n(self) -> int:
        return self.interval.n


def counted(count: float, n: int) -> Interval:
    """A count or a sum: what happened, not an estimate of anything."""
    return Interval(
        point=count, low=None, high=None, n=n, method="count", reason="a count, not an estimate"
    )


def at_most(n: int) -> float | None:
    """The rule of three: after no failure among n, the 95 % upper bound of the failure rate."""
    return min(1.0, 3 / n) if n else None


def nice_step(span: float, most: int) -> float:
    """The smallest of 1, 2, 2.5 and 5 times a power of ten that cuts the span into `most` parts."""
    power = 10.0 ** math.floor(math.log10(span / most))
    return next(step * power for step in _NICE if step * power * most >= span * (1 - 1e-9))
