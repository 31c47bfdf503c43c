"""Reading JSON from bytes exactly, a window at a time: what stands where, and what is no JSON."""

import codecs
import json
import re
from collections.abc import Callable
from math import inf, isfinite
from typing import Any, NamedTuple, NoReturn

from apps.datasets.contracts import Rejected
from apps.datasets.formats.contract_v1.limits import MAX_LEVELS, WINDOW_BYTES
from apps.datasets.uploading.limits import Source

SPACE = re.compile(rb"[ \t\n\r]*")
LONGEST_FINITE = 310
MARGIN = 16
"""Characters: an error this close to a window's end may only mean that the text goes on."""

MOST_STRUCTURE = 3_000_000
"""Quotes, commas and brackets in a value that is skipped: a bound on the memory it takes."""


class _RepeatedKey(ValueError):
    pass


class _NotJson(ValueError):
    pass


def _integer(text: str) -> int | float:
    """Past what a float can hold it is infinite, as 1e999 is: a number too large for any field."""
    if len(text) > LONGEST_FINITE or not isfinite(float(text)):
        return inf
    return int(text)


def _no_constant(name: str) -> NoReturn:
    raise _NotJson(f"{name} is not a JSON number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _RepeatedKey(_repeated(pairs))
    return found


def _skimmed(pairs: list[tuple[str, Any]]) -> dict[str, Any] | None:
    """Of an object too large to keep, only the name of the record."""
    found = _object(pairs).get("record_id")
    return {"record_id": found} if isinstance(found, str) else None


def _repeated(pairs: list[tuple[str, Any]]) -> str:
    seen: set[str] = set()
    return next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]


Scan = Callable[[str, int], tuple[Any, int]]


def _scanner(**hooks: Any) -> Scan:
    """The C scanner of the standard library: the value at a position, and where it ends."""
    decoder: Any = json.JSONDecoder(parse_constant=_no_constant, **hooks)
    scan: Scan = decoder.scan_once
    return scan


_scan = _scanner(object_pairs_hook=_object, parse_int=_integer)
_skim = _scanner(object_pairs_hook=_skimmed, parse_int=lambda text: 0, parse_float=lambda text: 0.0)


class Value(NamedTuple):
    """A JSON value and the bytes it stood in. `text` is None for one too large to keep, of whose
    value then only a record_id is left."""

    start: int
    end: int
    value: Any
    text: bytes | None


class JsonText:
    """A JSON document in bytes, of which one window at a time is decoded. Positions are in bytes.

    Everything that is no JSON, repeats a key or is no UTF-8 raises Rejected with line and column.
    """

    def __init__(self, raw: Source) -> None:
        self.raw = raw
        self.base = 0
        self.window = b""
        self._latin: str | None = None
        self.load(0)

    def load(self, at: int, size: int = WINDOW_BYTES) -> None:
        """Move the window so that it starts at `at`."""
        self.base = at
        self.window = bytes(self.raw[at : at + size])
        self._latin = None

    @property
    def is_last(self) -> bool:
        return self.base + len(self.window) >= len(self.raw)

    def _holds(self, at: int) -> bool:
        return self.base <= at < self.base + len(self.window)

    def skip_space(self, at: int) -> int:
        """The first position from `at` on that holds no white space; the length at the end."""
        while True:
            if not self._holds(at):
                self.load(at)
            space = SPACE.match(self.window, at - self.base)
            at = self.base + (space.end() if space else 0)
            if at < self.base + len(self.window) or self.is_last:
                return at

    def byte(self, at: int) -> bytes:
        return bytes(self.raw[at : at + 1])

    def value(self, at: int) -> Value:
        """The value that starts at `at`; too large to keep when it does not fit a window."""
        if not self._holds(at):
            self.load(at)
        found = self._scanned(at) or self._scanned_anew(at)
        if found is None:
            return self._skimmed(at)
        value, end = found
        text = self.window[at - self.base : end - self.base]
        return Value(at, end, value if text.isascii() else self.exact(at, text), text)

    def exact(self, at: int, text: bytes) -> Any:
        """The value spelled by `text`, which starts at `at`, with every check of ours."""
        try:
            return _scan(text.decode(), 0)[0]
        except UnicodeDecodeError as error:
            raise not_utf8(at + error.start) from None
        except (_RepeatedKey, _NotJson, RecursionError) as error:
            self._refuse_value(at, error, "utf-8")

    def _scanned_anew(self, at: int) -> tuple[Any, int] | None:
        if self.base == at:
            return None
        self.load(at)
        return self._scanned(at)

    def _scanned(self, at: int, scan: Scan = _scan) -> tuple[Any, int] | None:
        """One byte is one character here, so positions are right and text that is not ASCII is not.
        None when the value goes on after the window."""
        if self._latin is None:
            self._latin = self.window.decode("latin-1")
        try:
            value, end = scan(self._latin, at - self.base)
        except StopIteration as stop:
            self._refuse_unless_cut_off(stop.value, "a value is expected")
            return None
        except json.JSONDecodeError as error:
            cut = error.msg.startswith("Unterminated string")
            self._refuse_unless_cut_off(len(self._latin) if cut else error.pos, error.msg)
            return None
        except (_RepeatedKey, _NotJson, RecursionError) as error:
            self._refuse_value(at, error, "latin-1")
        if end == len(self._latin) and not self.is_last:
            return None
        return value, self.base + end

    def _refuse_unless_cut_off(self, position: int, problem: str) -> None:
        near_the_end = position >= len(self.window) - MARGIN
        if self.is_last or not near_the_end:
            self.refuse(self.base + position, problem)

    def _skimmed(self, at: int) -> Value:
        """Find where a very large value ends without keeping it; the window grows until it fits."""
        size = WINDOW_BYTES
        found = None
        while found is None:
            size *= 2
            self.load(at, size)
            if sum(map(self.window.count, (b'"', b",", b"{", b"["))) > MOST_STRUCTURE:
                raise Rejected(
                    f"The value that starts at {self.place(at)} is far too large: it takes more "
                    f"than {size // 2:,} bytes."
                )
            found = self._scanned(at, _skim)
        value, end = found
        self._latin = None
        self._require_utf8(at, end)
        self.load(end)
        return Value(at, end, value, None)

    def _require_utf8(self, start: int, end: int) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")()
        step = 1 << 20
        for at in range(start, end, step):
            try:
                decoder.decode(self.raw[at : min(at + step, end)], at + step >= end)
            except UnicodeDecodeError as error:
                raise not_utf8(at + error.start) from None

    def _refuse_value(self, at: int, error: Exception, encoding: str) -> NoReturn:
        where = f"the value that starts at {self.place(at)}"
        if isinstance(error, RecursionError):
            raise too_deep(where) from None
        if isinstance(error, _RepeatedKey):
            key = str(error).encode(encoding, "replace").decode("utf-8", "replace")
            raise repeated_key(key, where) from None
        raise Rejected(f"Invalid JSON: {error}, in {where}.") from None

    def refuse(self, at: int, problem: str) -> NoReturn:
        """What stands at `at` is no JSON."""
        if at >= len(self.raw):
            raise Rejected(f"Invalid JSON: the document ends too early, after {at:,} bytes.")
        problem = problem[0].lower() + problem[1:].rstrip(": ").removesuffix(" at")
        raise Rejected(f"Invalid JSON at {self.place(at)}: {problem}.")

    def place(self, at: int) -> str:
        """Line and column, counted from 1; the column in bytes."""
        lines, last = 0, -1
        for start in range(0, at, WINDOW_BYTES):
            part = bytes(self.raw[start : min(start + WINDOW_BYTES, at)])
            lines += part.count(b"\n")
            if b"\n" in part:
                last = start + part.rindex(b"\n")
        return f"line {lines + 1:,}, column {at - last:,}"


def repeated_key(key: str, where: str) -> Rejected:
    return Rejected(f"Invalid JSON: the key {json.dumps(key[:100])} is repeated in {where}.")


def too_deep(where: str) -> Rejected:
    return Rejected(
        f"Invalid JSON: {where} is nested too deep: at most {MAX_LEVELS} levels are read."
    )


def not_utf8(at: int) -> Rejected:
    return Rejected(f"The file must be UTF-8: byte {at:,} is no part of a UTF-8 character.")
