"""SVG elements, and numbers as the text of a chart; ElementTree escapes every text."""

from typing import Literal
from xml.etree import ElementTree as ET

Unit = Literal["percent", "score", "ms", "usd", "count"]
"""Of the numbers given: `percent` takes shares from 0 to 1."""

MIDDLE = 13
"""Where the line of a whisker runs."""


def say(value: float, unit: Unit) -> str:
    if unit == "percent":
        return f"{value * 100:.1f} %"
    if unit == "ms":
        return _milliseconds(value)
    if unit == "usd":
        return f"${value:,.2f}" if value >= 0.01 or value == 0 else f"${value:.2g}"
    return f"{value:,.2f}" if unit == "score" else f"{value:,.0f}"


def _milliseconds(value: float) -> str:
    if value >= 999.5:
        return f"{value / 1000:,.2f} s"
    return f"{value:.0f} ms" if value >= 10 or value == 0 else f"{value:.1f} ms"


def tick(value: float, unit: Unit, largest: float) -> str:
    """Shorter than `say`, because ticks are round numbers; one unit for the whole axis."""
    if unit == "percent":
        return f"{value * 100:.4g} %"
    if unit == "ms":
        return f"{value / 1000:.4g} s" if largest >= 1000 else f"{value:.4g} ms"
    if unit == "count":
        return short_count(value)
    return f"${value:.4g}" if unit == "usd" else f"{value:.4g}"


def short_count(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def drawing(kind: str, tone: str, label: str, **attributes: str | float) -> ET.Element:
    look = f"{kind} {tone}".strip()
    svg = ET.Element("svg", {"class": look, "role": "img", "aria-label": label})
    for name, value in attributes.items():
        svg.set(name, str(value))
    add(svg, "title").text = label
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


def write(svg: ET.Element, cls: str, x: float, y: float, anchor: str, text: str) -> None:
    element = add(svg, "text", cls=cls, x=round(x, 1), y=round(y, 1))
    element.set("text-anchor", anchor)
    element.text = text


def position(value: float, low: float, high: float) -> float:
    """In per cent of the axis, held inside it."""
    return round(100 * (min(max(value, low), high) - low) / (high - low), 2)


def text_of(svg: ET.Element) -> str:
    return ET.tostring(svg, encoding="unicode")
