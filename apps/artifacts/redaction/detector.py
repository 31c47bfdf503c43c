"""What a detector is: a cheap trigger for the one scan of every text, and a search for the few."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import re2

Find = Callable[[str], Iterator[tuple[int, int]]]


class Detector(NamedTuple):
    """`trigger` matches wherever `find` could find something; patterns are RE2's, so linear."""

    kind: str
    trigger: str
    find: Find


def matching(pattern: str, accepts: Callable[[Any], bool] = lambda _match: True) -> Find:
    """A search for the pattern's last group (or all of it) where `accepts` agrees."""
    compiled = re2.compile(pattern)

    def find(text: str) -> Iterator[tuple[int, int]]:
        for match in compiled.finditer(text):
            if accepts(match):
                yield match.span(compiled.groups)

    return find


def stands_alone(match: Any, *, not_after: str = "", not_before: str = "") -> bool:
    """No Latin letter or digit touches the match, nor does it follow or precede these characters.

    Scripts without spaces may touch it.
    """
    text, start, end = match.string, match.start(), match.end()
    before = text[start - 1 : start] if start else ""
    after = text[end : end + 1]
    return not (_joins(before, not_after) or _joins(after, not_before))


def _joins(char: str, others: str) -> bool:
    return char != "" and (char in others or (char.isascii() and char.isalnum()))


def encodable(text: str) -> str:
    """The same length, and encodable: RE2 reads UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text
