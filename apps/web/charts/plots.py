"""The frame of a picture: a scale to the left, one below, and the area between.

Across it counts in per cent and down in pixels, so a narrow drawing keeps the size of its letters;
the room to the left and right is padding (static/css/charts.css).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from apps.web.drawing import Unit, add, canvas, position, text_of, tick, write

from .whiskers import AxisRange

HEIGHT = 150
BOTTOM = 26
LETTERS = 32
"""Of 100 across: what a label beside its mark takes where the drawing is narrow."""


@dataclass(frozen=True)
class Plot:
    """The whole drawing, and the area that marks are drawn into."""

    svg: ET.Element
    area: ET.Element
    x: AxisRange
    y: AxisRange

    def along(self, value: float) -> float:
        """In per cent of the width."""
        return position(value, self.x.low, self.x.high)

    def down(self, value: float) -> float:
        """In pixels from the top."""
        return round(HEIGHT * (1 - position(value, self.y.low, self.y.high) / 100), 1)


def plot(
    look: str,
    alt: str,
    *,
    x: AxisRange,
    y: AxisRange,
    y_unit: Unit,
    top: int = 26,
    signed: bool = False,
) -> Plot:
    """With the lines and labels of its upright scale."""
    svg = canvas(f"plot {look}", alt, height=top + HEIGHT + BOTTOM, width="100%")
    svg.set("overflow", "visible")
    area = add(svg, "svg", y=top, height=HEIGHT, overflow="visible")
    drawn = Plot(svg, area, x, y)
    for value in y.values:
        down = drawn.down(value)
        add(area, "line", cls="grid", x1=0, x2="100%", y1=down, y2=down)
        write(area, "tick", -8, down + 3.5, "end", tick(value, y_unit, y.high, signed=signed))
    return drawn


def scale_below(drawn: Plot, values: Sequence[float], unit: Unit, largest: float) -> None:
    for value in values:
        text = tick(value, unit, largest)
        write(drawn.area, "tick", f"{drawn.along(value)}%", HEIGHT + 17, "middle", text)


def spot(parent: ET.Element, look: str, x: float, y: float) -> ET.Element:
    """A place that is x per cent across and y pixels down; what is drawn there counts from it."""
    return add(parent, "svg", cls=look, x=f"{x}%", y=y, overflow="visible")


def nothing(look: str, alt: str, words: str) -> str:
    """A drawing that says why it is empty."""
    svg = canvas(f"plot {look}", alt, height=64, width="100%")
    write(svg, "tick", "50%", 36, "middle", words)
    return text_of(svg)
