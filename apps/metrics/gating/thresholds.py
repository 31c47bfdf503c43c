"""A number held against a bound of its own."""

import math
from typing import Literal

from apps.metrics.contracts import Interval
from apps.metrics.gated import Finding

from .missing import not_measured, too_few
from .settling import STAYS, records_until, would_settle
from .words import Unit, amount, capital, estimate

By = Literal["bound", "point"]
"""By its whole interval, or by the estimate alone."""


def threshold(
    interval: Interval,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    by: By = "bound",
    minimum: int,
    name: str = "the pass rate",
    unit: Unit = "percent",
    noun: str = "records",
) -> Finding:
    """Whether the number lies where it should; bounds are in its unit, inclusive.

    By bound, its 95 % interval must lie wholly on one side: where the truth is the bound itself,
    it passes in about 2.5 % of cases and fails in about 2.5 %. A rate's interval (Wilson) is exact
    on average only: of 20 to 100 independent tries, a rate that should be at least .9 fails so in
    up to 6.2 %, .95 in up to 7.6 % and .98 in up to 10.2 %, and passes in up to 2.7 %; around .5
    either happens in up to 4 %. From 500 tries on both stay below 4.2 % up to .98. By point, either
    happens in about half of all cases. A count has no interval and goes by the point.
    """
    if at_least is None and at_most is None:
        raise ValueError("a threshold takes at_least, at_most or both")
    if interval.point is None:
        return not_measured(interval, name)
    if interval.n < minimum:
        return too_few(f"{name} is {estimate(interval, unit)}", interval.n, minimum, noun)
    least = -math.inf if at_least is None else at_least
    most = math.inf if at_most is None else at_most
    by = "point" if interval.method == "count" else by
    told = f"{capital(name)} is {estimate(interval, unit)}; it should be "
    told += f"{_wanted(at_least, at_most, unit)}, and"
    return _held(interval, least, most, by, told, noun)


def _held(interval: Interval, least: float, most: float, by: By, told: str, noun: str) -> Finding:
    low, high = _ends(interval, by)
    if least <= low and high <= most:
        verb = "the estimate is" if by == "point" else "its whole interval is"
        return Finding(answer="pass", code="holds", reason=f"{told} {verb}.")
    if high < least or low > most:
        verb = "the estimate is not" if by == "point" else "none of its interval is"
        return Finding(answer="fail", code="below_threshold", reason=f"{told} {verb}.")
    return Finding(
        answer="inconclusive",
        code="insufficient_statistical_support",
        reason=f"{told} its interval lies on both sides.",
        evidence=_evidence(interval, least, most, noun),
    )


def _ends(interval: Interval, by: By) -> tuple[float, float]:
    """The interval, a bound that is not known infinitely far away."""
    if by == "point":
        point = interval.point or 0.0
        return point, point
    low = -math.inf if interval.low is None else interval.low
    return low, math.inf if interval.high is None else interval.high


def _evidence(interval: Interval, least: float, most: float, noun: str) -> str:
    """What lies inside must leave every bound that it still holds, what lies outside only one."""
    if interval.low is None or interval.high is None:
        return f"{capital(interval.reason)}."
    point = interval.point or 0.0
    if point < least or point > most:
        crossed = [least if point < least else most]
    else:
        crossed = [bound for bound in (least, most) if interval.low < bound < interval.high]
    needed = [records_until(interval, bound) for bound in crossed]
    if None in needed or not needed:
        return (
            f"No number of {noun} would settle it while the estimate is the bound itself: change "
            "the bound, or hold the estimate against it instead of its interval."
        )
    return would_settle(max(n for n in needed if n), interval.n, noun, when=STAYS)


def _wanted(at_least: float | None, at_most: float | None, unit: Unit) -> str:
    sides = []
    if at_least is not None:
        sides.append(f"at least {amount(at_least, unit)}")
    if at_most is not None:
        sides.append(f"at most {amount(at_most, unit)}")
    return " and ".join(sides)
