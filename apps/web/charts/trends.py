"""Trends: a metric from run to run."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from apps.contract import Contract
from apps.metrics.contracts import Interval
from apps.web.drawing import Unit, add, clipped, say, text_of, write

from .pictures import Cell, Picture
from .plots import HEIGHT, Plot, nothing, plot, spot
from .whiskers import AxisRange, axis_range, whisker_words

_NAME, _MARK = 18, 16
_LETTERS, _LETTERS_WIDE, _APART, _BELOW = 44, 110, 3, 6
"""What stands side by side below a narrow drawing and a wide one, and between two of them; of so
few runs the first and the last are far enough from the edges to have their names below them."""
_WIDTH = 40
"""Of 100 across: what such a label takes where the drawing is narrow."""
_ROWS = 3
"""Of labels of marks; more would push the drawing down."""
_TOLD, _MIDDLE_FROM = 12, 4


class TrendPoint(Contract):
    """One run in its place; the places are numbered from 0. `short` is written below it."""

    label: str
    interval: Interval
    note: str = ""
    short: str = ""

    @property
    def below(self) -> str:
        return clipped(self.short or self.label, _NAME)


def trend_lines(
    points: Sequence[TrendPoint],
    *,
    line: tuple[float, float] | None,
    marks: Mapping[int, str],
    unit: Unit,
    name: str,
) -> Picture:
    """`line` is (intercept at the first place, slope a place); `marks` say at which places
    something changed (another dataset version, say)."""
    fitted = line if line and all(math.isfinite(each) for each in line) else None
    alt = _words(points, fitted, marks, unit, name)
    return Picture(
        name=name,
        svg=_drawn(points, fitted, marks, unit, alt),
        alt=alt,
        columns=("run", "value", "low", "high", "n", "note", "mark", "reason"),
        rows=tuple(_numbers(one, marks.get(place, "")) for place, one in enumerate(points)),
    )


def _numbers(one: TrendPoint, mark: str) -> tuple[Cell, ...]:
    i = one.interval
    return (one.label, i.point, i.low, i.high, i.n, one.note, mark, i.reason)


def _words(
    points: Sequence[TrendPoint],
    line: tuple[float, float] | None,
    marks: Mapping[int, str],
    unit: Unit,
    name: str,
) -> str:
    if not points:
        return f"{name}: no runs yet"
    left = max(0, len(points) - _TOLD)
    told = [f"{one.label}: {whisker_words(one.interval, unit=unit)}" for one in points[left:]]
    before = [f"{left:,} earlier runs are in the data"] if left else []
    fit = [f"the line changes by {_slope(line[1], unit)} a run"] if line else []
    changes = [
        f"{text} from {points[place].label} on"
        for place, text in sorted(marks.items())
        if 0 <= place < len(points)
    ]
    return f"{name}, {len(points):,} runs. {'; '.join([*fit, *before, *told, *changes])}"


def _slope(slope: float, unit: Unit) -> str:
    return say(slope, "points" if unit == "percent" else unit, signed=True)


def _drawn(
    points: Sequence[TrendPoint],
    line: tuple[float, float] | None,
    marks: Mapping[int, str],
    unit: Unit,
    alt: str,
) -> str:
    if not points:
        return nothing("trend", alt, "No runs yet")
    here = {place: text for place, text in sorted(marks.items()) if 0 <= place < len(points)}
    rows = _rows_of(here, len(points))
    x = AxisRange(low=-0.5, high=len(points) - 0.5, ticks=2)
    y = axis_range([one.interval for one in points], unit=unit)
    top = 12 + 14 * (1 + max(rows.values(), default=-1))
    drawn = plot("trend", alt, x=x, y=y, y_unit=unit, top=top)
    _marks(drawn, here, rows)
    _joined(drawn, points)
    _line(drawn, line, len(points))
    for place, one in enumerate(points):
        _point(drawn, place, one, unit)
    _names(drawn, points)
    return text_of(drawn.svg)


def _rows_of(marks: Mapping[int, str], n: int) -> dict[int, int]:
    """The row that each label is written on; those for which there is no room have none."""
    taken = [-math.inf] * _ROWS
    rows: dict[int, int] = {}
    for place in marks:
        x = 100 * (place + 0.5) / n
        free = next((row for row, end in enumerate(taken) if x >= end), None)
        if free is not None:
            rows[place], taken[free] = free, x + _WIDTH
    return rows


def _marks(drawn: Plot, marks: Mapping[int, str], rows: Mapping[int, int]) -> None:
    for place, text in marks.items():
        x, row = drawn.along(place - 0.5), rows.get(place)
        top = -14 * (1 + row) if row is not None else 0
        line = add(drawn.area, "line", cls="mark", x1=f"{x}%", x2=f"{x}%", y1=top, y2=HEIGHT)
        add(line, "title").text = text
        if row is not None:
            late = x > 100 - _WIDTH
            anchor = "end" if late else "start"
            label = write(drawn.area, "tick", f"{x}%", top + 10, anchor, clipped(text, _MARK))
            label.set("dx", "-5" if late else "5")


def _joined(drawn: Plot, points: Sequence[TrendPoint]) -> None:
    known = [(i, p.interval.point) for i, p in enumerate(points) if p.interval.point is not None]
    for (place, value), (following, further) in pairwise(known):
        ends = {"x1": f"{drawn.along(place)}%", "x2": f"{drawn.along(following)}%"}
        add(drawn.area, "line", cls="way", **ends, y1=drawn.down(value), y2=drawn.down(further))


def _line(drawn: Plot, line: tuple[float, float] | None, n: int) -> None:
    """Cut where it leaves the scale."""
    if line is None or n < 2:
        return
    intercept, slope = line
    low, high = drawn.y.low, drawn.y.high
    first, last = 0.0, float(n - 1)
    if slope:
        ends = sorted(((low - intercept) / slope, (high - intercept) / slope))
        first, last = max(first, ends[0]), min(last, ends[1])
    if first >= last or not low <= intercept + slope * (first + last) / 2 <= high:
        return
    ends_at = {"x1": f"{drawn.along(first)}%", "x2": f"{drawn.along(last)}%"}
    y1, y2 = (drawn.down(intercept + slope * place) for place in (first, last))
    add(drawn.area, "line", cls="fit", **ends_at, y1=y1, y2=y2)


def _point(drawn: Plot, place: int, one: TrendPoint, unit: Unit) -> None:
    i = one.interval
    if i.point is None:
        here = spot(drawn.area, "gap", drawn.along(place), HEIGHT)
        write(here, "tick", 0, -4, "middle", "×")
    else:
        here = spot(drawn.area, "point", drawn.along(place), 0)
        low, high = (_bound(drawn, one.interval, each) for each in ("low", "high"))
        if not (i.low is None and i.high is None):
            add(here, "line", cls="ci", x1=0, x2=0, y1=low, y2=high)
        for bound in (i.low, i.high):
            if bound is not None:
                y = drawn.down(bound)
                add(here, "line", cls="cap", x1=-3.5, x2=3.5, y1=y, y2=y)
        add(here, "circle", cls="dot", cx=0, cy=drawn.down(i.point), r=4.5)
    note = f" ({one.note})" if one.note else ""
    add(here, "title").text = f"{one.label}: {whisker_words(i, unit=unit)}{note}"


def _bound(drawn: Plot, interval: Interval, which: str) -> float:
    """An unknown bound runs to the edge."""
    value = interval.low if which == "low" else interval.high
    edge = HEIGHT if which == "low" else 0
    return edge if value is None else drawn.down(value)


def _names(drawn: Plot, points: Sequence[TrendPoint]) -> None:
    """Of every run where there is room, else of the first, the last and one in the middle."""
    last = len(points) - 1
    letters = sum(len(one.below) + _APART for one in points)
    if letters <= _LETTERS_WIDE and len(points) <= _BELOW:
        for place, one in enumerate(points):
            look = "tick" if place in (0, last) or letters <= _LETTERS else "tick wide"
            write(drawn.area, look, f"{drawn.along(place)}%", HEIGHT + 18, "middle", one.below)
        return
    shown = {0: "start", last: "end"} if last else {0: "middle"}
    if last >= _MIDDLE_FROM:
        shown[last // 2] = "middle"
    for place, anchor in shown.items():
        x = {"start": 0.0, "end": 100.0}.get(anchor, drawn.along(place))
        look = "tick wide" if anchor == "middle" and last else "tick"
        write(drawn.area, look, f"{x}%", HEIGHT + 18, anchor, points[place].below)
