"""Charts: numbers in, an SVG out. Pure, and every text is escaped.

No script and no inline style, so a strict policy lets them through; classes carry the colours
(static/css/charts.css), so one drawing serves both themes. Each has a text alternative.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from apps.contract import Contract
from apps.metrics.contracts import Distribution, Interval, nice_step
from apps.web.drawing import (
    MIDDLE,
    Unit,
    across,
    add,
    dot,
    drawing,
    position,
    say,
    short_count,
    text_of,
    tick,
    upright,
    write,
)
from apps.web.states import Tone


class AxisRange(Contract):
    low: float
    high: float
    ticks: int


@dataclass(frozen=True)
class Segment:
    label: str
    count: int
    tone: Tone


_HEIGHT = 26
_WIDE, _HIGH, _LEFT, _RIGHT, _TOP, _BOTTOM = 460, 196, 34, 14, 26, 26
_HALF_A_LETTER = 3.5
"""Of a tick's label, at most: what would reach beyond the drawing ends with it instead."""
_THINNEST = 0.35
"""Per cent of a progress bar that even one record of 50,000 gets, so that it is seen."""


# -- intervals beside numbers ---------------------------------------------------------------


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
    label = _whisker_label(interval, target, baseline, unit)
    svg = drawing("whisker", tone, label, height=_HEIGHT, width="100%", overflow="visible")
    across(svg, "track", 0, 100)
    if target is not None:
        upright(svg, "target", position(target, low, high), 0, _HEIGHT)
    if interval.point is not None:
        _bounds(svg, interval, low, high)
    if baseline is not None:
        dot(svg, "base", position(baseline, low, high), 3.5)
    if interval.point is not None:
        dot(svg, "dot", position(interval.point, low, high), 5)
    return text_of(svg)


def axis(low: float, high: float, ticks: int, *, unit: Unit = "percent") -> str:
    """Labels over a column of whiskers, the first at low and the last at high."""
    label = f"Axis from {tick(low, unit, high)} to {tick(high, unit, high)}"
    svg = drawing("axis", "", label, height=16, width="100%", overflow="visible")
    for value in (low + (high - low) * i / (ticks - 1) for i in range(ticks)):
        text = add(svg, "text", x=f"{position(value, low, high)}%", y=12)
        text.set("text-anchor", "middle")
        text.text = tick(value, unit, high)
    return text_of(svg)


def axis_range(
    intervals: Iterable[Interval], *, also: Iterable[float | None] = (), unit: Unit = "percent"
) -> AxisRange:
    """The round range that holds all intervals, and `also` (a target, baselines)."""
    ends = [end for one in intervals for end in (one.low, one.point, one.high)]
    values = [value for value in (*ends, *also) if value is not None]
    if unit == "percent":
        return _share_range(values)
    low, high = min(values, default=0.0), max(values, default=1.0)
    return _rounded_out(low, high, nice_step((high - low) or abs(high) or 1.0, 4))


# -- distributions --------------------------------------------------------------------------


def histogram(
    distribution: Distribution,
    marks: Mapping[str, float | None],
    *,
    unit: Unit,
    name: str,
    slow_from: float | None = None,
) -> str:
    """Bars with marks (p50, p95) over them; bars from `slow_from` on stand out."""
    known = {label: value for label, value in marks.items() if value is not None}
    svg = drawing("hist", "", _histogram_label(distribution, known, unit, name))
    svg.set("viewBox", f"0 0 {_WIDE} {_HIGH}")
    if not distribution.counts:
        write(svg, "tick", _WIDE / 2, _HIGH / 2, "middle", "No values yet")
        return text_of(svg)
    top = _grid(svg, max(distribution.counts))
    _bars(svg, distribution, top, unit, math.inf if slow_from is None else slow_from)
    _scale(svg, distribution.edges, unit)
    if distribution.above:
        beyond = f"{distribution.above:,} above"
        write(svg, "tick", _WIDE - _RIGHT, _HIGH - _BOTTOM - 8, "end", beyond)
    _marks(svg, distribution.edges, known, unit)
    return text_of(svg)


# -- progress -------------------------------------------------------------------------------


def progress_bar(segments: Sequence[Segment]) -> str:
    """The segments side by side, in proportion; what waits is a neutral segment."""
    total = sum(segment.count for segment in segments)
    parts = ", ".join(f"{one.count:,} {one.label}" for one in segments)
    svg = drawing("bar", "", f"{parts} of {total:,}", height=8, width="100%")
    left = 0.0
    for segment, width in zip(segments, _widths(segments, total), strict=True):
        if width:
            x, wide = f"{left:.2f}%", f"{width:.2f}%"
            bar = add(svg, "rect", cls=segment.tone, x=x, width=wide, height=8)
            add(bar, "title").text = f"{segment.count:,} {segment.label}"
        left += width
    return text_of(svg)


# -- how whiskers are drawn -----------------------------------------------------------------


def _whisker_label(
    interval: Interval, target: float | None, baseline: float | None, unit: Unit
) -> str:
    if interval.point is None:
        return f"No value: {interval.reason}"
    parts = [say(interval.point, unit), _interval_text(interval, unit), f"n = {interval.n:,}"]
    parts += [] if target is None else [f"target {say(target, unit)}"]
    parts += [] if baseline is None else [f"baseline {say(baseline, unit)}"]
    return ", ".join(parts)


def _interval_text(interval: Interval, unit: Unit) -> str:
    level = f"{interval.level * 100:g} % confidence interval"
    if interval.low is None and interval.high is None:
        return f"no interval: {interval.reason}"
    low = "unknown" if interval.low is None else say(interval.low, unit)
    high = "unknown" if interval.high is None else say(interval.high, unit)
    return f"{level} {low} to {high}"


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
        found = _rounded_out(max(low, 0.0), min(high, 1.0), step)
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


# -- how histograms are drawn ---------------------------------------------------------------


def _histogram_label(
    distribution: Distribution, marks: Mapping[str, float], unit: Unit, name: str
) -> str:
    low, mean, high = distribution.minimum, distribution.mean, distribution.maximum
    if low is None or mean is None or high is None:
        return f"{name}: no values yet"
    numbers = [f"mean {say(mean, unit)}", f"from {say(low, unit)} to {say(high, unit)}"]
    numbers += [f"{label} {say(value, unit)}" for label, value in marks.items()]
    if distribution.above:
        numbers.append(f"{distribution.above:,} above {say(distribution.edges[-1], unit)}")
    return f"{name}, n = {distribution.count:,}: {', '.join(numbers)}"


def _grid(svg: ET.Element, most: int) -> float:
    """Lines and labels of the counts; the count at the upper edge."""
    step = max(nice_step(max(most, 1), 4), 1)
    lines = math.ceil(most / step)
    for value in (i * step for i in range(lines + 1)):
        y = _down(value, lines * step)
        add(svg, "line", cls="grid", x1=_LEFT, x2=_WIDE - _RIGHT, y1=y, y2=y)
        write(svg, "tick", _LEFT - 7, y + 3.5, "end", short_count(value))
    return lines * step


def _bars(
    svg: ET.Element, distribution: Distribution, top: float, unit: Unit, slow_from: float
) -> None:
    edges = distribution.edges
    for start, end, count in zip(edges, edges[1:], distribution.counts, strict=False):
        if not count:
            continue
        left, right = _along(start, edges), _along(end, edges)
        y = min(_down(count, top), _HIGH - _BOTTOM - 1)
        look = "hb slow" if start >= slow_from else "hb"
        width, height = round(right - left - 1.5, 1), round(_HIGH - _BOTTOM - y, 1)
        bar = add(
            svg, "rect", cls=look, x=round(left + 0.75, 1), y=y, width=width, height=height, rx=1.5
        )
        add(bar, "title").text = f"{say(start, unit)} to {say(end, unit)}: {count:,}"


def _scale(svg: ET.Element, edges: Sequence[float], unit: Unit) -> None:
    step = nice_step(edges[-1] - edges[0], 6)
    first, last = math.ceil(edges[0] / step - 1e-9), math.floor(edges[-1] / step + 1e-9)
    for value in (i * step for i in range(first, last + 1)):
        text, x = tick(value, unit, edges[-1]), _along(value, edges)
        at_end = x + len(text) * _HALF_A_LETTER > _WIDE
        x, anchor = (_WIDE, "end") if at_end else (x, "middle")
        write(svg, "tick", x, _HIGH - _BOTTOM + 17, anchor, text)


def _marks(svg: ET.Element, edges: Sequence[float], marks: Mapping[str, float], unit: Unit) -> None:
    """A dashed line each, labelled beside its top; a label that would touch the last goes lower."""
    row, taken = 0, -math.inf
    for label, value in sorted(marks.items(), key=lambda mark: mark[1]):
        x = _along(min(max(value, edges[0]), edges[-1]), edges)
        row, taken = (row + 1 if x < taken else 0), x + 95
        add(svg, "line", cls="mark", x1=x, x2=x, y1=6, y2=_HIGH - _BOTTOM)
        late = x > _WIDE * 0.72
        text_x, anchor = (x - 5, "end") if late else (x + 5, "start")
        write(svg, "mlabel", text_x, 14 + 13 * row, anchor, f"{label} {say(value, unit)}")


def _along(value: float, edges: Sequence[float]) -> float:
    share = (value - edges[0]) / (edges[-1] - edges[0])
    return round(_LEFT + share * (_WIDE - _LEFT - _RIGHT), 1)


def _down(count: float, top: float) -> float:
    return round(_TOP + (_HIGH - _TOP - _BOTTOM) * (1 - count / (top or 1)), 1)


def _widths(segments: Sequence[Segment], total: int) -> list[float]:
    """In per cent; what the thinnest are given, the widest gives."""
    exact = [100 * one.count / total if total else 0.0 for one in segments]
    widths = [max(width, _THINNEST) if width else 0.0 for width in exact]
    if widths:
        widths[widths.index(max(widths))] -= sum(widths) - sum(exact)
    return widths
