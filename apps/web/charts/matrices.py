"""Confusion matrices: a judge's verdicts by people's."""

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

from apps.metrics.labels import Confusion
from apps.web.drawing import add, canvas, say, text_of, write

from .pictures import Picture
from .plots import nothing

_LEFT, _TOP, _WIDE, _HIGH, _GAP = 92, 26, 132, 78, 4


class _Row(NamedTuple):
    """What the judge said, and what people said of the same answers."""

    judge: str
    passed: int
    failed: int

    @property
    def n(self) -> int:
        return self.passed + self.failed

    @property
    def cells(self) -> tuple[tuple[str, int], ...]:
        return (("People pass", self.passed), ("People fail", self.failed))


def confusion_matrix(confusion: Confusion, *, name: str) -> Picture:
    """Counts with their share of the row: of all that the judge passes, how much people pass."""
    rows = (
        _Row("Judge passes", confusion.true_pass, confusion.false_pass),
        _Row("Judge fails", confusion.false_fail, confusion.true_fail),
    )
    alt = _words(rows, confusion.n, name)
    return Picture(
        name=name,
        svg=_drawn(rows, confusion.n, alt),
        alt=alt,
        columns=("judge", "people", "count", "share of the row"),
        rows=tuple(
            (row.judge, people, count, count / row.n if row.n else None)
            for row in rows
            for people, count in row.cells
        ),
    )


def _words(rows: Sequence[_Row], n: int, name: str) -> str:
    if not n:
        return f"{name}: no answer has both verdicts"
    told = [
        f"of {row.n:,} that the {row.judge.lower()}, people pass {row.passed:,}{_share(row, 0)} "
        f"and fail {row.failed:,}{_share(row, 1)}"
        for row in rows
    ]
    return f"{name}, n = {n:,}: {'; '.join(told)}"


def _share(row: _Row, which: int) -> str:
    return f" ({say(row.cells[which][1] / row.n, 'percent')})" if row.n else ""


def _drawn(rows: Sequence[_Row], n: int, alt: str) -> str:
    if not n:
        return nothing("matrix", alt, "No answer has both verdicts")
    wide = _LEFT + 2 * (_WIDE + _GAP)
    high = _TOP + 2 * (_HIGH + _GAP) + 16
    svg = canvas("square matrix", alt, viewBox=f"0 0 {wide} {high}")
    for column, (people, _count) in enumerate(rows[0].cells):
        write(svg, "name", _LEFT + column * (_WIDE + _GAP) + _WIDE / 2, 14, "middle", people)
        total = sum(row.cells[column][1] for row in rows)
        x = _LEFT + column * (_WIDE + _GAP) + _WIDE / 2
        write(svg, "tick", x, high - 4, "middle", f"{total:,} of {n:,}")
    for place, row in enumerate(rows):
        _row(svg, place, row)
    return text_of(svg)


def _row(svg: ET.Element, place: int, row: _Row) -> None:
    top = _TOP + place * (_HIGH + _GAP)
    write(svg, "name", 0, top + _HIGH / 2 - 2, "start", row.judge)
    write(svg, "tick", 0, top + _HIGH / 2 + 14, "start", f"n = {row.n:,}")
    for column, (people, count) in enumerate(row.cells):
        left = _LEFT + column * (_WIDE + _GAP)
        look = "same" if column == place else "other"
        box = add(svg, "rect", cls=look, x=left, y=top, width=_WIDE, height=_HIGH, rx=6)
        add(box, "title").text = f"{row.judge}, {people.lower()}: {count:,}"
        middle = left + _WIDE / 2
        write(svg, f"figure {look}", middle, top + _HIGH / 2 + 3, "middle", f"{count:,}")
        share = f"{say(count / row.n, 'percent')} of row" if row.n else "–"
        write(svg, "share", middle, top + _HIGH / 2 + 22, "middle", share)
