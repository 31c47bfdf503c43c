"""The frame of a square picture: two scales of equal length, and the diagonal between them."""

from dataclasses import dataclass
from xml.etree import ElementTree as ET

from apps.web.drawing import Unit, add, canvas, clipped, position, tick, write

from .whiskers import AxisRange

SIDE = 300
_LEFT, _TOP, _RIGHT, _BELOW = 50, 24, 16, 40
_LABEL = 40


@dataclass(frozen=True)
class Square:
    """The drawing in pixels of its own, which is scaled as a whole."""

    svg: ET.Element
    x: AxisRange
    y: AxisRange

    @classmethod
    def drawn(
        cls,
        look: str,
        alt: str,
        x: AxisRange,
        y: AxisRange,
        units: tuple[Unit, Unit],
        labels: tuple[str, str],
        *,
        below: int = 0,
    ) -> "Square":
        """With its scales; `below` leaves room under them."""
        size = (_LEFT + SIDE + _RIGHT, _TOP + SIDE + _BELOW + below)
        square = cls(canvas(f"square {look}", alt, viewBox=f"0 0 {size[0]} {size[1]}"), x, y)
        square._scales(units)
        write(square.svg, "name", _LEFT, 12, "start", f"↑ {clipped(labels[1], _LABEL)}")
        bottom = size[1] - 4
        write(square.svg, "name", _LEFT + SIDE, bottom, "end", f"{clipped(labels[0], _LABEL)} →")
        return square

    def along(self, value: float) -> float:
        return round(_LEFT + SIDE * position(value, self.x.low, self.x.high) / 100, 1)

    def down(self, value: float) -> float:
        return round(_TOP + SIDE * (1 - position(value, self.y.low, self.y.high) / 100), 1)

    def diagonal(self) -> None:
        ends = {"x1": _LEFT, "y1": _TOP + SIDE, "x2": _LEFT + SIDE, "y2": _TOP}
        add(self.svg, "line", cls="diagonal", **ends)

    def corner(self, anchor: str, text: str) -> None:
        """`start` writes into the upper left corner, `end` into the lower right one."""
        upper = anchor == "start"
        x, y = (_LEFT + 8, _TOP + 16) if upper else (_LEFT + SIDE - 8, _TOP + SIDE - 9)
        write(self.svg, "mlabel", x, y, anchor, text)

    def head(self, text: str) -> None:
        """Beside the name of the upright scale."""
        write(self.svg, "mlabel", _LEFT + SIDE, 12, "end", text)

    def _scales(self, units: tuple[Unit, Unit]) -> None:
        for value in self.x.values:
            x, text = self.along(value), tick(value, units[0], self.x.high)
            add(self.svg, "line", cls="grid", x1=x, x2=x, y1=_TOP, y2=_TOP + SIDE)
            write(self.svg, "tick", x, _TOP + SIDE + 16, "middle", text)
        for value in self.y.values:
            y, text = self.down(value), tick(value, units[1], self.y.high)
            add(self.svg, "line", cls="grid", x1=_LEFT, x2=_LEFT + SIDE, y1=y, y2=y)
            write(self.svg, "tick", _LEFT - 7, y + 3.5, "end", text)
