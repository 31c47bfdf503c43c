"""A candidate that may not be worse than its baseline by more than a margin."""

from apps.metrics.contracts import Interval
from apps.metrics.gated import Finding

from .missing import not_measured, too_few
from .settling import STAYS, records_until, would_settle
from .words import Unit, about, capital, estimated_change, points

PAIRED = "records that both runs have"
_ROUNDING = 1e-9


def non_inferiority(
    difference: Interval,
    *,
    margin: float,
    higher_is_better: bool = True,
    minimum: int,
    name: str = "the pass rate",
    unit: Unit = "percent",
) -> Finding:
    """Whether candidate - baseline is at worst the margin (0 or more, in the metric's unit).

    It passes where the whole 95 % interval is no worse than the margin, and fails where the whole
    of it is worse: where the truth is the margin itself, either happens in at most 2.5 % of cases.
    """
    if margin < 0:
        raise ValueError("a margin says how much worse something may be: 0 or more")
    if difference.point is None:
        return not_measured(difference, f"the difference in {name}")
    told = f"{name} differs from the baseline's by {estimated_change(difference, unit)}"
    if difference.n < minimum:
        return too_few(told, difference.n, minimum, PAIRED)
    if difference.low is None or difference.high is None:
        return not_measured(difference, f"the interval of the difference in {name}")
    told = f"{capital(told)}; the margin is {points(margin, unit)}, and"
    return _held(difference if higher_is_better else _turned(difference), margin, told)


def _held(gain: Interval, margin: float, told: str) -> Finding:
    """`gain` is the difference with more meaning better; its bounds are known."""
    low, high = gain.low or 0.0, gain.high or 0.0
    if low >= -margin - _ROUNDING:
        return Finding(
            answer="pass", code="holds", reason=f"{told} the whole interval lies within it."
        )
    if high < -margin - _ROUNDING:
        return Finding(
            answer="fail",
            code="worse_than_baseline",
            reason=f"{told} the whole interval lies beyond it.",
        )
    return Finding(
        answer="inconclusive",
        code="insufficient_statistical_support",
        reason=f"{told} the interval reaches beyond it.",
        evidence=_evidence(gain, margin),
    )


def _evidence(gain: Interval, margin: float) -> str:
    none = _without_difference(gain, margin)
    stays = records_until(gain, -margin)
    if stays is not None:
        further = f"; about {about(none)} if there is no difference" if none else ""
        when = STAYS.replace("estimate", "difference") + further
        return would_settle(stays, gain.n, PAIRED, when=when)
    if none is not None:
        return would_settle(none, gain.n, PAIRED, when="if there is no difference")
    return "No number of records settles a margin of 0 while the runs do not differ: allow some."


def _without_difference(gain: Interval, margin: float) -> float | None:
    """Records until an interval of this width around 0 would lie within the margin."""
    if not margin or gain.point is None or gain.low is None:
        return None
    return max(1.0, gain.n * ((gain.point - gain.low) / margin) ** 2)


def _turned(interval: Interval) -> Interval:
    """The same, with the other direction as the better one."""
    turned = {
        "point": _negative(interval.point),
        "low": _negative(interval.high),
        "high": _negative(interval.low),
    }
    return interval.model_copy(update=turned)


def _negative(value: float | None) -> float | None:
    return None if value is None else -value
