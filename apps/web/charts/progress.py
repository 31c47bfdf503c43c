"""Progress: segments side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.web.drawing import add, drawing, text_of
from apps.web.states import Tone

_THINNEST = 0.35
"""Per cent of a progress bar that even one record of 50,000 gets, so that it is seen."""


@dataclass(frozen=True)
class Segment:
    label: str
    count: int
    tone: Tone


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


def _widths(segments: Sequence[Segment], total: int) -> list[float]:
    """In per cent; what the thinnest are given, the widest gives."""
    exact = [100 * one.count / total if total else 0.0 for one in segments]
    widths = [max(width, _THINNEST) if width else 0.0 for width in exact]
    if widths:
        widths[widths.index(max(widths))] -= sum(widths) - sum(exact)
    return widths
