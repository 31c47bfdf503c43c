"""Files of one JSON value a line: where each stands, and what it says."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

import orjson

from apps.artifacts.canonical import canonical
from apps.datasets.contracts import Rejected
from apps.datasets.uploading.limits import MAX_RECORD_BYTES, MAX_RECORDS, Source

from .base import Progress
from .building import Place
from .decoding import require_utf8

REPORT_EVERY = 500
STEP = 1 << 20
BLANK = re.compile(rb"[ \t\r\n]+")
ESCAPED_QUOTE = b"\\u0022"


class Line(NamedTuple):
    """One line that is not blank. `error` says why it is no JSON; `column` counts from 1."""

    place: Place
    value: Any
    error: str = ""
    column: int = 0


class NotJson(ValueError):
    """What is wrong with a text, and where (from 0)."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.at = at


def json_lines(
    raw: Source, progress: Progress | None = None, *, most: int = MAX_RECORDS
) -> Iterator[Line]:
    """Each line that is not blank; raises Rejected for what is no UTF-8 and for too many lines."""
    size, number, index = len(raw), 1, 0
    start, breaks = _skip_blank(raw, require_utf8(raw))
    while start < size:
        number += breaks
        end = raw.find(b"\n", start)
        end = size if end < 0 else end
        if index == most:
            raise Rejected(f"The file has more than {most:,} records.")
        place = Place(index, start, end - start, number)
        yield _line(place, bytes(raw[start:end]) if end - start <= MAX_RECORD_BYTES else None)
        index += 1
        if progress and index % REPORT_EVERY == 0:
            progress(end, size)
        start, breaks = _skip_blank(raw, end)
    if progress:
        progress(size, size)


def loads(text: bytes | str) -> Any:
    """The JSON value of a text, exactly: raises NotJson for NaN, repeated keys and broken text."""
    spelled = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    try:
        value = orjson.loads(spelled)
        again = canonical(value, finite=True)
    except (ValueError, RecursionError):
        return _exact(spelled)
    # A dropped key takes its quotes along; a rounded integer is spelled 1.2e+20.
    same = again.count(b'"') == spelled.count(b'"') and ESCAPED_QUOTE not in spelled
    return value if same and b"e+" not in again else _exact(spelled)


def _skip_blank(raw: Source, at: int) -> tuple[int, int]:
    """Where the next text begins, and how many lines end before it."""
    breaks = 0
    while blank := BLANK.match(raw, at, at + STEP):
        breaks += blank.group().count(b"\n")
        at = blank.end()
    return at, breaks


def _line(place: Place, text: bytes | None) -> Line:
    if text is None:
        return Line(place, None, f"The line is longer than {MAX_RECORD_BYTES:,} bytes", 1)
    try:
        return Line(place, loads(text.rstrip()))
    except NotJson as error:
        return Line(place, None, str(error), error.at + 1)


def _exact(spelled: bytes) -> Any:
    try:
        return json.loads(
            spelled, object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        raise NotJson(error.msg, error.pos) from None
    except UnicodeDecodeError as error:
        raise NotJson("Not UTF-8", error.start) from None
    except RecursionError:
        raise NotJson("Nested too deep") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise NotJson(f"The key {json.dumps(key[:100])} is repeated")
            seen.add(key)
    return found


def _no_constant(name: str) -> NoReturn:
    raise NotJson(f"{name} is not a JSON number")


def _integer(text: str) -> int:
    if len(text) > 310:
        raise NotJson("A number is too large")
    return int(text)
