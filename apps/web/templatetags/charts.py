"""The charts of `apps.web.charts` as tags; ElementTree wrote and escaped what they return."""

from collections.abc import Sequence

from django import template
from django.utils.safestring import SafeString, mark_safe

from apps.metrics.contracts import Interval
from apps.web import charts
from apps.web.drawing import Unit
from apps.web.states import Tone

register = template.Library()


@register.simple_tag
def whisker(
    interval: Interval,
    scale: charts.AxisRange,
    target: float | None = None,
    baseline: float | None = None,
    tone: Tone = "neutral",
    unit: Unit = "percent",
) -> SafeString:
    """A point and its interval, on the scale that the column's `axis` shows."""
    drawn = charts.whisker(
        interval, scale.low, scale.high, target=target, baseline=baseline, tone=tone, unit=unit
    )
    return mark_safe(drawn)  # noqa: S308


@register.simple_tag
def axis(scale: charts.AxisRange, unit: Unit = "percent") -> SafeString:
    return mark_safe(charts.axis(scale.low, scale.high, scale.ticks, unit=unit))  # noqa: S308


@register.simple_tag
def progress_bar(segments: Sequence[charts.Segment]) -> SafeString:
    return mark_safe(charts.progress_bar(segments))  # noqa: S308


@register.simple_tag
def drawing(picture: charts.Picture) -> SafeString:
    return mark_safe(picture.svg)  # noqa: S308
