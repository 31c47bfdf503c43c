"""What went wrong, in our words: from a status, a header or an exception to an error code."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import orjson

from .contracts import ErrorCode
from .paths import AbsentError, value_at

MAX_DETAIL = 300
MAX_WAIT_MS = 120_000

_BY_STATUS: dict[int, ErrorCode] = {
    401: "unauthorized",
    403: "unauthorized",
    408: "timeout",
    429: "rate_limited",
    502: "service_unavailable",
    503: "service_unavailable",
    504: "service_unavailable",
    529: "service_unavailable",
}
_MESSAGE_PATHS = ("error.message", "error", "message", "detail")
_UNPRINTABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


def code_of_status(status: int) -> ErrorCode:
    """The error code of a status that is not 2xx."""
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status >= 500:
        return "internal_error"
    if status >= 400:
        return "invalid_request"
    return "invalid_response"


def sentence_of_status(status: int, body: bytes) -> str:
    """One line for people: the status and, where there is one, the server's own message."""
    if 300 <= status < 400:
        return f"HTTP {status}: the server redirects elsewhere; redirects are not followed."
    message = _message_in(body)
    return clipped(f"HTTP {status}: {message}" if message else f"HTTP {status}.")


def retry_after_ms(
    headers: Mapping[str, str], now: datetime, most_ms: int = MAX_WAIT_MS
) -> int | None:
    """How long the server asks to wait, no longer than `most_ms`; None where it does not say."""
    wait = _number(headers.get("retry-after-ms"))
    if wait is None:
        wait = _thousand(_number(headers.get("retry-after")))
    if wait is None:
        wait = _until(headers.get("retry-after"), now)
    return None if wait is None else round(min(max(wait, 0), most_ms))


def clipped(text: str, limit: int = MAX_DETAIL) -> str:
    """The text on one line, without control characters, and not longer than `limit`."""
    text = _UNPRINTABLE.sub(" ", text[: 4 * limit]).strip()
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _message_in(body: bytes) -> str:
    try:
        document: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ""
    for path in _MESSAGE_PATHS:
        try:
            found = value_at(document, path)
        except AbsentError:
            continue
        if isinstance(found, str) and found:
            return found
    return ""


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _thousand(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1000


def _until(text: str | None, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text or "")
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - now).total_seconds() * 1000
