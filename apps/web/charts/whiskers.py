"""Intervals beside numbers: a point with its bounds, on the axis over its column."""

import math
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from apps.contract import Contract
from apps.metrics.contracts import Interval, nice_step
from apps.web.drawing import (
    MIDDLE,
    Unit,
    across,
    dot,
    drawing,
    excludes_zero,
    position,
    say,
    text_of,
    tick,
    upright,
    write,
)
from apps.web.states import Tone

_HEIGHT = 26
_LARGEST, _TINIEST = 1e15, 1e-8
_FINEST = 1e-6
"""A scale is at least that wide, of its largest value: rounding would eat a smaller one."""


class AxisRange(Contract):
    low: float
    high: float
    ticks: int

    @property
    def values(self) -> list[float]:
        """Where the ticks are."""
        step = (self.high - self.low) / (self.ticks - 1)
        return [round(self.low + step * place, 10) for place in range(self.ticks)]


def whisker(
    interval: Interval,
    low: float,
    high: float,
    *,
    target: float | None = None,
    baseline: float | None = None,
    tone: Tone = "neutral",
    unit: Unit = "percent",
) -> str:
    """A point with its interval on an axis from low to high, as wide as its cell.

    A bound that is unknown or off the axis runs to the edge without a cap. The dashed line is
    the target, the ring the baseline.
    """
    label = whisker_words(interval, target, baseline, unit)
    svg = drawing("whisker", tone, label, height=_HEIGHT, width="100%", overflow="visible")
    lay(svg, interval, low, high, target=target, baseline=baseline)
    return text_of(svg)


def lay(
    svg: ET.Element,
    interval: Interval,
    low: float,
    high: float,
    *,
    target: float | None = None,
    baseline: float | None = None,
) -> None:
    """Draw a whisker into what is as high as one."""
    across(svg, "track", 0, 100)
    if target is not None:
        upright(svg, "target", position(target, low, high), 0, _HEIGHT)
    if interval.point is not None:
        _bounds(svg, interval, low, high)
    if baseline is not None:
        dot(svg, "base", position(baseline, low, high), 3.5)
    if interval.point is not None:
        dot(svg, "dot", position(interval.point, low, high), 5)


def axis(low: float, high: float, ticks: int, *, unit: Unit = "percent") -> str:
    """Labels over a column of whiskers, the first at low and the last at high."""
    label = f"Axis from {tick(low, unit, high)} to {tick(high, unit, high)}"
    svg = drawing("axis", "", label, height=16, width="100%", overflow="visible")
    lay_axis(svg, AxisRange(low=low, high=high, ticks=ticks), unit)
    return text_of(svg)


def lay_axis(svg: ET.Element, scale: AxisRange, unit: Unit, *, signed: bool = False) -> None:
    for value in scale.values:
        x = f"{position(value, scale.low, scale.high)}%"
        write(svg, "", x, 12, "middle", tick(value, unit, scale.high, signed=signed))


def axis_range(
    intervals: Iterable[Interval], *, also: Iterable[float | None] = (), unit: Unit = "percent"
) -> AxisRange:
    """The round range that holds all intervals, and `also` (a target, baselines)."""
    ends = [end for one in intervals for end in (one.low, one.point, one.high)]
    values = [_held(value) for value in (*ends, *also) if value is not None]
    if unit == "percent":
        return _share_range([min(max(value, 0.0), 1.0) for value in values])
    low, high = min(values, default=0.0), max(values, default=1.0)
    largest = max(abs(low), abs(high))
    span = (high - low) or largest or 1.0
    return _rounded_out(low, high, nice_step(max(span, _FINEST * largest, _TINIEST), 4))


def from_zero(most: float, ticks: int = 4) -> AxisRange:
    """Of counts or shares, from nothing to at least the most."""
    step = nice_step(max(_held(most), _TINIEST), ticks)
    last = max(math.ceil(_held(most) / step - 1e-9), 1)
    return AxisRange(low=0, high=round(last * step, 10), ticks=last + 1)


def _held(value: float) -> float:
    return min(max(value, -_LARGEST), _LARGEST)


def whisker_words(
    interval: Interval,
    target: float | None = None,
    baseline: float | None = None,
    unit: Unit = "percent",
    *,
    signed: bool = False,
) -> str:
    if interval.point is None:
        return f"No value: {interval.reason}"
    parts = [
        say(interval.point, unit, signed=signed, exact=excludes_zero(interval.low, interval.high)),
        bounds_words(interval, unit, signed=signed),
        f"n = {interval.n:,}",
    ]
    parts += [] if target is None else [f"target {say(target, unit)}"]
    parts += [] if baseline is None else [f"baseline {say(baseline, unit)}"]
    return ", ".join(parts)


def bounds_words(interval: Interval, unit: Unit, *, signed: bool = False) -> str:
    if interval.low is None and interval.high is None:
        return f"no interval: {interval.reason}"
    level = f"{interval.level * 100:g} % confidence interval"
    return f"{level} {span_words(interval, unit, signed=signed)}"


def span_words(interval: Interval, unit: Unit, *, signed: bool = False) -> str:
    exact = excludes_zero(interval.low, interval.high)
    low, high = (
        "unknown" if bound is None else say(bound, unit, signed=signed, exact=exact)
        for bound in (interval.low, interval.high)
    )
    return f"{low.removesuffix(' points')} to {high}"


def _bounds(svg: ET.Element, interval: Interval, low: float, high: float) -> None:
    if interval.low is None and interval.high is None:
        return
    left = low if interval.low is None else interval.low
    right = high if interval.high is None else interval.high
    across(svg, "ci", position(left, low, high), position(right, low, high))
    for bound in (interval.low, interval.high):
        if bound is not None and low <= bound <= high:
            upright(svg, "cap", position(bound, low, high), MIDDLE - 4.5, MIDDLE + 4.5)


def _share_range(values: Sequence[float]) -> AxisRange:
    low, high = min(values, default=0.0), max(values, default=1.0)
    for step in (0.05, 0.1, 0.2):
        found = _rounded_out(low, high, step)
        if found.ticks <= 7:
            break
    if found.high > 1:
        return AxisRange(low=round(found.low - step, 10), high=1.0, ticks=found.ticks)
    return found


def _rounded_out(low: float, high: float, step: float) -> AxisRange:
    """Outward to whole steps, at least two of them."""
    first = math.floor(low / step + 1e-9)
    last = max(math.ceil(high / step - 1e-9), first + 2)
    return AxisRange(
        low=round(first * step, 10), high=round(last * step, 10), ticks=last - first + 1
    )
