"""Forests: intervals under each other, around the line of a reference."""

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from apps.contract import Contract
from apps.metrics.contracts import Interval
from apps.web.drawing import Unit, add, canvas, clipped, excludes_zero, say, text_of, write
from apps.web.states import Tone

from .pictures import Picture
from .plots import nothing
from .whiskers import AxisRange, axis_range, lay, lay_axis, span_words, whisker_words

_TOLD = 12
"""Rows that the words tell one by one."""
_HEAD, _ROW, _LABEL, _NOTE = 30, 56, 30, 28
_OURS = ("/", "?", "#")


class ForestRow(Contract):
    """`note` stands under the label; with an `address` of ours the label is a link."""

    label: str
    interval: Interval
    tone: Tone = "neutral"
    note: str = ""
    address: str = ""


def forest(
    rows: Sequence[ForestRow],
    *,
    unit: Unit,
    reference: float = 0.0,
    name: str,
    signed: bool = False,
) -> Picture:
    """The interval of each row beside its name, or under it where it is narrow.

    `points` are always told with their sign, other units where `signed`: for differences.
    """
    alt = _words(rows, unit, name, signed)
    return Picture(
        name=name,
        svg=_drawn(rows, unit, reference, alt, signed),
        alt=alt,
        columns=("name", "value", "low", "high", "n", "note", "reason"),
        rows=tuple(_numbers(row) for row in rows),
    )


def _numbers(row: ForestRow) -> tuple[str | int | float | None, ...]:
    one = row.interval
    return (row.label, one.point, one.low, one.high, one.n, row.note, one.reason)


def _words(rows: Sequence[ForestRow], unit: Unit, name: str, signed: bool) -> str:
    if not rows:
        return f"{name}: nothing to show"
    told = [
        f"{row.label}: {whisker_words(row.interval, unit=unit, signed=signed)}"
        + (f" ({row.note})" if row.note else "")
        for row in rows[:_TOLD]
    ]
    more = [f"{len(rows) - _TOLD:,} more are in the data"] if len(rows) > _TOLD else []
    return f"{name}. {'; '.join([*told, *more])}"


def _drawn(rows: Sequence[ForestRow], unit: Unit, reference: float, alt: str, signed: bool) -> str:
    if not rows:
        return nothing("forest", alt, "Nothing to show")
    svg = canvas("forest", alt, height=_HEAD + _ROW * len(rows), width="100%")
    if any(row.address for row in rows):
        svg.set("role", "group")  # an image has no links in it
    scale = axis_range([row.interval for row in rows], also=[reference], unit=unit)
    for lane in _lanes(svg, "axis", 4, 4):
        lay_axis(lane, scale, unit, signed=signed)
    if unit == "points":
        write(svg, "note", 0, 16, "start", "points")
    for place, row in enumerate(rows):
        _row(svg, _HEAD + _ROW * place, row, scale, unit, reference, signed)
    return text_of(svg)


def _row(
    svg: ET.Element,
    top: int,
    row: ForestRow,
    scale: AxisRange,
    unit: Unit,
    reference: float,
    signed: bool,
) -> None:
    one = row.interval
    line = add(svg, "svg", cls=f"row {row.tone}", y=top, height=_ROW, width="100%")
    line.set("overflow", "visible")
    add(line, "title").text = f"{row.label}: {whisker_words(one, unit=unit, signed=signed)}"
    add(line, "line", cls="rule", x1=0, x2="100%", y1=0, y2=0)
    _label(line, row)
    write(line, "note", 0, 39, "start", clipped(row.note, _NOTE))
    exact = excludes_zero(one.low, one.high)
    point = "–" if one.point is None else say(one.point, unit, signed=signed, exact=exact)
    write(line, "value", "100%", 22, "end", point)
    write(line, "note", "100%", 39, "end", _beside(one, unit, signed))
    for lane in _lanes(line, f"whisker {row.tone}", 14, 17):
        lay(lane, one, scale.low, scale.high, target=reference)


def _label(line: ET.Element, row: ForestRow) -> None:
    linked = row.address.startswith(_OURS)
    holder = add(line, "a", href=row.address) if linked else line
    write(holder, "label", 0, 22, "start", clipped(row.label, _LABEL))


def _beside(one: Interval, unit: Unit, signed: bool) -> str:
    if one.low is None and one.high is None:
        return clipped(one.reason, _NOTE) if one.point is None else "no interval"
    return span_words(one, unit, signed=signed)


def _lanes(parent: ET.Element, look: str, beside: int, under: int) -> Iterator[ET.Element]:
    """One beside the name and one under it; the style shows one of them.

    No style can move what is drawn in per cent, so both are drawn.
    """
    wide = {"x": "36%", "y": beside, "width": "40%"}
    narrow = {"x": "5%", "y": under, "width": "90%", "display": "none"}
    for cls, place in (("beside", wide), ("under", narrow)):
        lane = add(parent, "svg", cls=f"{cls} {look}", height=26, overflow="visible")
        for name, value in place.items():
            lane.set(name, str(value))
        yield lane
