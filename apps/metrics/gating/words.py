"""Numbers of a gate's findings, in sentences."""

import math
from collections.abc import Callable
from typing import Literal

from apps.metrics.contracts import Interval

Unit = Literal["percent", "score", "ms", "usd", "count"]
"""`percent` is of shares from 0 to 1; `usd` stands for whatever currency the target has."""

MINUS = "−"
_SMALL = 0.01


def amount(value: float, unit: Unit) -> str:
    """0.862 → 86.2 %, 1840 ms → 1,840 ms."""
    match unit:
        case "percent":
            return f"{_digits(100 * value, 2 if abs(value) < _SMALL else 1)} %"
        case "score":
            return _digits(value, 3)
        case "ms":
            return f"{_digits(value, 0 if abs(value) >= 100 else 1)} ms"
        case "usd":
            return f"${_digits(value, 2 if abs(value) >= 1 else 5)}"
        case "count":
            return _digits(value, 2)


def change(value: float, unit: Unit) -> str:
    """With its sign, unless it shows as 0; of shares in points: -0.012 → −1.2 points."""
    size = points(abs(value), unit)
    if size == points(0, unit):
        return size
    return f"{'+' if value > 0 else MINUS}{size}"


def points(size: float, unit: Unit) -> str:
    """How far two numbers are apart, without a sign; of shares in points."""
    text = amount(size, unit)
    return "1 point" if text == "1 %" else text.replace(" %", " points")


def estimate(interval: Interval, unit: Unit) -> str:
    """92.1 % (95 % interval 90.2 % to 93.8 %, n = 1,000); the point must be known."""
    point = amount(interval.point or 0.0, unit)
    bounds = _bounds(interval, amount, unit)
    return f"{point} ({bounds}n = {interval.n:,})"


def estimated_change(interval: Interval, unit: Unit) -> str:
    point = change(interval.point or 0.0, unit)
    bounds = _bounds(interval, change, unit)
    return f"{point} ({bounds}n = {interval.n:,})"


def about(n: float) -> str:
    """Two significant digits, rounded up: 1,332 → 1,400."""
    whole = math.ceil(n - 1e-9)
    step = 10 ** max(0, len(str(whole)) - 2)
    return f"{math.ceil(whole / step) * step:,}"


def counted(n: int, noun: str, many: str = "") -> str:
    return f"{n:,} {noun if n == 1 else many or noun + 's'}"


def capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _bounds(interval: Interval, say: Callable[[float, Unit], str], unit: Unit) -> str:
    if interval.low is None and interval.high is None:
        return ""
    low, high = (
        "unknown" if bound is None else say(bound, unit) for bound in (interval.low, interval.high)
    )
    return f"{100 * interval.level:.4g} % interval {low} to {high}, "


def _digits(value: float, places: int) -> str:
    """At most so many places, without trailing zeros."""
    text = f"{round(value, places) + 0.0:,.{places}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", MINUS)
