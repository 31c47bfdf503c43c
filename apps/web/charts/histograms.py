"""Distributions: bars with marks over them."""

import math
from collections.abc import Mapping
from xml.etree import ElementTree as ET

from apps.metrics.contracts import Distribution, nice_step
from apps.web.drawing import Unit, add, say, text_of, write

from .binning import bins_of
from .pictures import Cell, Picture
from .plots import HEIGHT, LETTERS, Plot, nothing, plot, scale_below
from .whiskers import AxisRange, from_zero


def histogram(
    distribution: Distribution,
    marks: Mapping[str, float | None],
    *,
    unit: Unit,
    name: str,
    slow_from: float | None = None,
) -> Picture:
    """Bars with marks (p50, p95) over them; bars from `slow_from` on stand out."""
    known = {label: value for label, value in marks.items() if value is not None}
    alt = _words(distribution, known, unit, name)
    slow = math.inf if slow_from is None else slow_from
    return Picture(
        name=name,
        svg=_drawn(distribution, known, unit, alt, slow),
        alt=alt,
        columns=("from", "to", "count"),
        rows=(*bins_of(distribution), *_beyond(distribution)),
    )


def round_values(scale: AxisRange, most: int = 6) -> list[float]:
    """The round numbers of a scale that ends where its values do."""
    step = nice_step(scale.high - scale.low, most)
    first = math.ceil(scale.low / step - 1e-9)
    last = math.floor(scale.high / step + 1e-9)
    return [round(place * step, 10) for place in range(first, last + 1)]


def _drawn(
    distribution: Distribution, marks: Mapping[str, float], unit: Unit, alt: str, slow_from: float
) -> str:
    if not distribution.counts:
        return nothing("hist", alt, "No values yet")
    x = AxisRange(low=distribution.edges[0], high=distribution.edges[-1], ticks=2)
    most = max(distribution.counts)
    counts = from_zero(most, min(4, max(most, 1)))
    drawn = plot("hist", alt, x=x, y=counts, y_unit="count")
    _bars(drawn, distribution, unit, slow_from)
    scale_below(drawn, round_values(x), unit, x.high)
    if distribution.above:
        beyond = f"{distribution.above:,} above"
        write(drawn.area, "tick", "100%", HEIGHT - 8, "end", beyond)
    _marks(drawn, marks, unit)
    return text_of(drawn.svg)


def _words(distribution: Distribution, marks: Mapping[str, float], unit: Unit, name: str) -> str:
    low, mean, high = distribution.minimum, distribution.mean, distribution.maximum
    if low is None or mean is None or high is None:
        return f"{name}: no values yet"
    numbers = [f"mean {say(mean, unit)}", f"from {say(low, unit)} to {say(high, unit)}"]
    numbers += [f"{label} {say(value, unit)}" for label, value in marks.items()]
    if distribution.above:
        numbers.append(f"{distribution.above:,} above {say(distribution.edges[-1], unit)}")
    return f"{name}, n = {distribution.count:,}: {', '.join(numbers)}"


def _beyond(distribution: Distribution) -> list[tuple[Cell, ...]]:
    if not distribution.above:
        return []
    return [(distribution.edges[-1], distribution.maximum, distribution.above)]


def _bars(drawn: Plot, distribution: Distribution, unit: Unit, slow_from: float) -> None:
    for start, end, count in bins_of(distribution):
        if not count:
            continue
        y = min(drawn.down(count), HEIGHT - 1)
        left, right = drawn.along(start), drawn.along(end)
        bar = _bar(drawn.area, "hb slow" if start >= slow_from else "hb", left, right, y)
        add(bar, "title").text = f"{say(start, unit)} to {say(end, unit)}: {count:,}"


def _bar(area: ET.Element, look: str, left: float, right: float, y: float) -> ET.Element:
    wide = round((right - left) * 0.92, 2)
    x = round(left + (right - left) * 0.04, 2)
    high = round(HEIGHT - y, 1)
    return add(area, "rect", cls=look, x=f"{x}%", y=y, width=f"{wide}%", height=high, rx=1.5)


def _marks(drawn: Plot, marks: Mapping[str, float], unit: Unit) -> None:
    """A dashed line each, labelled beside its top; a label that would touch another goes lower."""
    ends: list[float] = []
    for label, value in sorted(marks.items(), key=lambda mark: mark[1]):
        x = drawn.along(value)
        late = x > 100 - LETTERS
        left, right = (x - LETTERS, x) if late else (x, x + LETTERS)
        row = next((at for at, end in enumerate(ends) if end <= left), len(ends))
        ends[row : row + 1] = [right]
        add(drawn.area, "line", cls="mark", x1=f"{x}%", x2=f"{x}%", y1=-20, y2=HEIGHT)
        text = write(
            drawn.area,
            "mlabel",
            f"{x}%",
            13 * row - 12,
            "end" if late else "start",
            f"{label} {say(value, unit)}",
        )
        text.set("dx", "-5" if late else "5")
