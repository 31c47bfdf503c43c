"""Dates as texts, read by formats such as DD-MMM-YYYY."""

import functools
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime

MAX_FORMAT = 40
MAX_DATE = 64
FORMATS = (
    "DD-MMM-YYYY",
    "MM/DD/YYYY",
    "DD/MM/YYYY",
    "MM-DD-YYYY",
    "DD-MM-YYYY",
    "YYYY/MM/DD",
    "MMM D, YYYY",
    "D MMM YYYY",
)
"""Tried in this order where a field names none; ISO 8601 comes before all."""
_DIRECTIVES = {
    "YYYY": "%Y",
    "YY": "%y",
    "MMMM": "%B",
    "MMM": "%b",
    "MM": "%m",
    "M": "%m",
    "DD": "%d",
    "D": "%d",
    "HH": "%H",
    "H": "%H",
    "hh": "%I",
    "h": "%I",
    "mm": "%M",
    "ss": "%S",
    "SSS": "%f",
    "A": "%p",
    "a": "%p",
    "Z": "%z",
    "%": "%%",
}
_PART = re.compile("|".join(sorted(_DIRECTIVES, key=len, reverse=True)))


def read_date(text: str, formats: Sequence[str]) -> date | None:
    """The day that a text names, in ISO 8601 or the first of the formats that fits."""
    text = text.strip()
    if len(text) > MAX_DATE:
        return None
    found = (_read(text, pattern) for pattern in ("", *_patterns(tuple(formats) or FORMATS)))
    return next((day for day in found if day), None)


def check_format(written: str) -> None:
    """ValueError with a sentence where no date can be read by it."""
    if not {"%Y", "%y"} & {_DIRECTIVES[part] for part in _PART.findall(written)}:
        raise ValueError(f"the date format {written!r} has no year: write YYYY or YY")
    for pattern in _spelled(written):
        try:
            _parsed("", pattern)
        except ValueError:
            pass
        except re.error as error:
            raise ValueError(f"the date format {written!r} names a part twice") from error


def _read(text: str, pattern: str) -> date | None:
    try:
        return _parsed(text, pattern) if pattern else datetime.fromisoformat(text).date()
    except ValueError:
        return None


def _parsed(text: str, pattern: str) -> date:
    return datetime.strptime(text, pattern).date()  # noqa: DTZ007 - a day as it is written


@functools.lru_cache(maxsize=256)
def _patterns(formats: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(pattern for written in formats for pattern in _spelled(written))


def _spelled(written: str) -> Iterator[str]:
    """The format for strptime; months are read in full and short, whichever is asked for."""
    pattern = _PART.sub(lambda match: _DIRECTIVES[match[0]], written)
    yield pattern
    if "%b" in pattern or "%B" in pattern:
        yield pattern.replace("%b", "%B") if "%b" in pattern else pattern.replace("%B", "%b")
