"""Numbers, times and sizes as people read them; None is always an en dash."""

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import wraps
from typing import Any, Protocol

from django import template
from django.utils import timezone

register = template.Library()

NOTHING = "–"
MINUS = "−"

Number = int | float | Decimal


class Estimated(Protocol):
    point: float | None
    low: float | None
    high: float | None


def _shown(filter_name: str) -> Callable[[Callable[..., str]], Callable[..., str]]:
    """Register a filter that never sees None, NaN or an undefined variable."""

    def decorate(convert: Callable[..., str]) -> Callable[..., str]:
        @wraps(convert)
        def safe(value: Any, *args: Any) -> str:
            if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
                return NOTHING
            return convert(value, *args)

        register.filter(filter_name, safe)
        return safe

    return decorate


# -- numbers --------------------------------------------------------------------------------


@_shown("number")
def number(value: Number) -> str:
    """37598 → 37,598; fractions keep what they have."""
    return f"{value:,}".replace("-", MINUS)


@_shown("decimal")
def decimal(value: Number, places: int = 2) -> str:
    return f"{_rounded(value, places):,.{places}f}".replace("-", MINUS)


@_shown("signed")
def signed(value: Number, places: int = 1) -> str:
    return _with_sign(value, places)


@_shown("percent")
def percent(share: Number, places: int = 1) -> str:
    """0.862 → 86.2 %."""
    return f"{decimal(float(share) * 100, places)} %"


@_shown("points")
def points(difference: Number, places: int = 1) -> str:
    """A difference of two shares: 0.019 → +1.9 points."""
    return f"{_with_sign(float(difference) * 100, places)} points"


@register.filter
def direction(difference: float | None) -> str:
    """The class of a difference that is better when larger; half a tenth of a point is nothing."""
    if difference is None or abs(difference) < 0.0005:
        return "muted"
    return "good" if difference > 0 else "bad"


@_shown("plural")
def plural(count: int, noun: str) -> str:
    """1 record, 1,734 records; "reply,replies" where an s is not enough."""
    one, _, many = noun.partition(",")
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


# -- amounts --------------------------------------------------------------------------------


@_shown("milliseconds")
def milliseconds(value: Number) -> str:
    """742 → 742 ms, 1840 → 1.84 s, 95000 → 1 min 35 s."""
    if value >= 60_000:
        return duration(float(value) / 1000)
    if value >= 999.5:
        return f"{float(value) / 1000:.2f} s"
    return f"{value:.0f} ms" if value >= 10 or value == 0 else f"{value:.1f} ms"


@_shown("duration")
def duration(value: Number | timedelta) -> str:
    """63 → 1 min 03 s, 7384 → 2 h 03 min, 3 days → 3 d 0 h."""
    seconds = value.total_seconds() if isinstance(value, timedelta) else float(value)
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    if whole < 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86_400} d {whole % 86_400 // 3600} h"


@_shown("bytes")
def size(value: int) -> str:
    """Powers of 1000, as file managers and the limits of the formats say them."""
    amount = float(value)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 999.5:
            places = 0 if unit == "bytes" or amount >= 99.5 else 1
            return f"{amount:.{places}f} {unit}"
        amount /= 1000
    return f"{amount:,.1f} TB"


@_shown("cost")
def cost(dollars: Number) -> str:
    """$14.07; under a cent two significant digits: $0.00042."""
    amount = float(dollars)
    if amount == 0 or abs(amount) >= 0.01:
        return f"${amount:,.2f}".replace("$-", f"{MINUS}$")
    places = 1 - math.floor(math.log10(abs(amount)))
    return f"${amount:.{places}f}".replace("$-", f"{MINUS}$")


# -- estimates ------------------------------------------------------------------------------


@_shown("point")
def point(value: Estimated, unit: str = "percent") -> str:
    """The estimate itself, in its unit: percent, score, ms, usd or count."""
    return NOTHING if value.point is None else _IN_UNIT[unit](value.point)


@_shown("interval")
def interval(value: Estimated, unit: str = "percent") -> str:
    """Its bounds: 85.9 – 86.5, in per cent, or 1.71 s – 1.90 s."""
    if value.low is None and value.high is None:
        return NOTHING
    low, high = (
        NOTHING if bound is None else _IN_UNIT[unit](bound).removesuffix(" %")
        for bound in (value.low, value.high)
    )
    return f"{low} – {high}"


_IN_UNIT: dict[str, Callable[[float], str]] = {
    "percent": percent,
    "score": decimal,
    "ms": milliseconds,
    "usd": cost,
    "count": lambda value: decimal(value, 0),
}


# -- moments --------------------------------------------------------------------------------


@_shown("ago")
def ago(moment: datetime) -> str:
    """Relative to now within four weeks, the day itself before that."""
    return since(moment, timezone.now())


@_shown("exact")
def exact(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


@_shown("iso")
def iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def since(moment: datetime, now: datetime) -> str:
    seconds = round((now - moment).total_seconds())
    length = _about(abs(seconds))
    if not length:
        return "just now" if abs(seconds) < 10 else f"{moment.astimezone(UTC):%-d %b %Y}"
    return f"{length} ago" if seconds > 0 else f"in {length}"


def _about(seconds: int) -> str:
    """The largest unit alone; nothing where a relative time says too little or too much."""
    if seconds < 10:
        return ""
    for unit, length, until in (("s", 1, 60), ("min", 60, 3600), ("h", 3600, 86_400)):
        if seconds < until:
            return f"{seconds // length} {unit}"
    days = seconds // 86_400
    return plural(days, "day") if days < 28 else ""


# -- text -----------------------------------------------------------------------------------


@register.filter
def clip(text: object, limit: int | str = 80) -> str:
    """The beginning of a text, with an ellipsis where something is missing."""
    whole = "" if text is None else str(text) + ""
    return whole if len(whole) <= int(limit) else whole[: int(limit)].rstrip() + "…"


@register.filter
def hidden_beyond(text: object, limit: int | str) -> bool:
    """Whether enough is missing after `limit` that hiding it helps."""
    return text is not None and len(str(text)) > int(limit) * 1.25


def _with_sign(value: Number, places: int) -> str:
    rounded = _rounded(value, places)
    text = f"{abs(rounded):,.{places}f}"
    return text if rounded == 0 else f"{'+' if rounded > 0 else MINUS}{text}"


def _rounded(value: Number, places: int) -> float:
    """Rounded without a negative zero."""
    return round(float(value), places) + 0.0
