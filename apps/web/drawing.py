"""SVG elements, and numbers as the text of a chart; ElementTree escapes every text."""

import math
import re
from typing import Literal
from xml.etree import ElementTree as ET

Unit = Literal["percent", "points", "score", "ms", "usd", "count"]
"""Of the numbers given: `percent` takes shares from 0 to 1, `points` differences of them."""

MIDDLE = 13
"""Where the line of a whisker runs."""

_MOST_PLACES = 9
"""A number that takes more is told as 3e-12."""

_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def excludes_zero(low: float | None, high: float | None) -> bool:
    """Whether the bounds of an interval are both on one side."""
    return (low is not None and low > 0) or (high is not None and high < 0)


def digits(size: float, places: int, *, exact: bool = False) -> str:
    """A size with so many places; where `exact`, with as many more as show that it is not 0."""
    text = f"{size:,.{places}f}"
    if not exact or size == 0 or text.strip("0."):
        return text
    needed = -math.floor(math.log10(size))
    return f"{size:.{needed}f}" if needed <= _MOST_PLACES else f"{size:.0e}"


def say(value: float, unit: Unit, *, signed: bool = False, exact: bool = False) -> str:
    """As prose has it; `points` always with their sign, other units where `signed`.

    `exact`: with as many digits as show that what is not 0 is not.
    """
    text = _size(abs(value), unit, exact)
    return f"{_sign(value, signed or unit == 'points') if text != _size(0, unit) else ''}{text}"


def tick(value: float, unit: Unit, largest: float, *, signed: bool = False) -> str:
    """Shorter than `say`, because ticks are round numbers; one unit for the whole axis."""
    sign = _sign(value, signed or unit == "points") if value else ""
    return f"{sign}{_short(abs(value), unit, largest)}"


def short_count(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def clipped(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _sign(value: float, signed: bool) -> str:
    return "−" if value < 0 else "+" if signed else ""


def _size(value: float, unit: Unit, exact: bool = False) -> str:
    if unit in ("percent", "points"):
        return f"{digits(value * 100, 1, exact=exact)} {'%' if unit == 'percent' else 'points'}"
    if unit == "ms":
        return _milliseconds(value, exact)
    if unit == "usd":
        return f"${value:,.2f}" if value >= 0.01 or value == 0 else f"${value:.2g}"
    return digits(value, 2 if unit == "score" else 0, exact=exact)


def _milliseconds(value: float, exact: bool) -> str:
    if value >= 999.5:
        return f"{value / 1000:,.2f} s"
    return f"{digits(value, 0 if value >= 10 or value == 0 else 1, exact=exact)} ms"


def _short(value: float, unit: Unit, largest: float) -> str:
    if unit in ("percent", "points"):
        return f"{value * 100:.4g}{' %' if unit == 'percent' else ''}"
    if unit == "ms":
        return f"{value / 1000:.4g} s" if largest >= 1000 else f"{value:.4g} ms"
    if unit == "count":
        return short_count(value)
    return f"${value:.4g}" if unit == "usd" else f"{value:.4g}"


def drawing(kind: str, tone: str, label: str, **attributes: str | float) -> ET.Element:
    """A whole drawing that says its label on hover too."""
    svg = canvas(f"{kind} {tone}".strip(), label, **attributes)
    add(svg, "title").text = label
    return svg


def canvas(look: str, label: str, **attributes: str | float) -> ET.Element:
    svg = ET.Element("svg", {"class": look, "role": "img", "aria-label": label})
    for name, value in attributes.items():
        svg.set(name, str(value))
    return svg


def add(parent: ET.Element, tag: str, *, cls: str = "", **attributes: str | float) -> ET.Element:
    named = {"class": cls} if cls else {}
    return ET.SubElement(parent, tag, named | {k: str(v) for k, v in attributes.items()})


def across(svg: ET.Element, cls: str, left: float, right: float) -> None:
    add(svg, "line", cls=cls, x1=f"{left}%", x2=f"{right}%", y1=MIDDLE, y2=MIDDLE)


def upright(svg: ET.Element, cls: str, x: float, top: float, bottom: float) -> None:
    add(svg, "line", cls=cls, x1=f"{x}%", x2=f"{x}%", y1=top, y2=bottom)


def dot(svg: ET.Element, cls: str, x: float, radius: float) -> None:
    add(svg, "circle", cls=cls, cx=f"{x}%", cy=MIDDLE, r=radius)


def write(
    svg: ET.Element, cls: str, x: float | str, y: float, anchor: str, text: str
) -> ET.Element:
    """`x` in pixels, or a text with its unit."""
    at = x if isinstance(x, str) else round(x, 1)
    element = add(svg, "text", cls=cls, x=at, y=round(y, 1))
    element.set("text-anchor", anchor)
    element.text = text
    return element


def position(value: float, low: float, high: float) -> float:
    """In per cent of the axis, held inside it."""
    return round(100 * (min(max(value, low), high) - low) / (high - low), 2)


def text_of(svg: ET.Element) -> str:
    """Without the characters that XML has no way to write."""
    return _UNWRITABLE.sub("", ET.tostring(svg, encoding="unicode"))
