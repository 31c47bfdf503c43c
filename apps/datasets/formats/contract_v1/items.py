"""The items of the records array one after the other, most of them found by a short cut."""

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import orjson

from apps.datasets.contracts import Rejected
from apps.datasets.formats.contract_v1.json_text import JsonText
from apps.datasets.formats.contract_v1.limits import MAX_RECORDS

COMMA, CLOSING = b",", b"]"
FIRST_KEY = re.compile(rb'\{[ \t\n\r]*"[^"\\]*"')

MOST_MISSES = 100
SHORT_RUN = 100
"""After so many short runs of guessed items, guessing stops: it would cost more than it saves."""


class Item(NamedTuple):
    """One item of the array. `text` is None for one too large to keep; `exact` tells whether
    repeated keys and long numbers have been looked for."""

    start: int
    length: int
    text: bytes | None
    value: Any
    exact: bool


@dataclass(frozen=True, slots=True)
class Seam:
    """What stands between two records that one program wrote: `}, {"record_id"`."""

    spelling: bytes
    to_next: int
    """From the closing brace to the opening one."""


class Items:
    """The items of the array whose `[` stands before `at`; afterwards `end` is behind its `]`.

    A fast parser, fed with the text up to the next seam, either takes all of it as one value or
    refuses: so a wrong guess is found out, and only then the exact and slower parser is asked.
    """

    def __init__(self, document: JsonText, at: int) -> None:
        self._document = document
        self._start = at
        self.end = at

    def __iter__(self) -> Iterator[Item]:
        found = self._items()
        yield from islice(found, MAX_RECORDS)
        if next(found, None) is not None:
            raise Rejected(f"records must have at most {MAX_RECORDS:,} items.")

    def skip(self) -> int:
        """Read over all items."""
        for _ in self:
            pass
        return self.end

    def _items(self) -> Iterator[Item]:
        document = self._document
        at = document.skip_space(self._start)
        if document.byte(at) == CLOSING:
            raise Rejected("records must have at least 1 item.")
        misses = 0
        while True:
            found = document.value(at)
            yield Item(at, found.end - at, found.text, found.value, exact=True)
            after = document.skip_space(found.end)
            if document.byte(after) == CLOSING:
                self.end = after + 1
                return
            if document.byte(after) != COMMA:
                document.refuse(after, "a comma or ] is expected after an item")
            at = document.skip_space(after + 1)
            seam = _seam(document, found.end, at) if misses < MOST_MISSES else None
            if seam is not None:
                at, run = yield from _guessed(document, at, seam)
                misses += run < SHORT_RUN


def _seam(document: JsonText, end: int, start: int) -> Seam | None:
    """What was between the item that ended and the one that starts, if both are objects."""
    key = FIRST_KEY.match(document.raw, start)
    if key is None or document.byte(end - 1) != b"}":
        return None
    return Seam(bytes(document.raw[end - 1 : key.end()]), start - end + 1)


def _guessed(document: JsonText, at: int, seam: Seam) -> Generator[Item, None, tuple[int, int]]:
    """Items as long as the guess holds; where the next one starts, and how many there were."""
    run = 0
    document.load(at)
    while True:
        start = at - document.base
        end = document.window.find(seam.spelling, start) + 1
        if not end and start and not document.is_last:
            document.load(at)
            continue
        text = document.window[start:end]
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            return at, run
        yield Item(at, len(text), text, value, exact=False)
        run += 1
        at += len(text) - 1 + seam.to_next
