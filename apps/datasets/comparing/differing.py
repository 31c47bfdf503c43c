"""Two texts beside each other: which words went and which came. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

MOST_CHARACTERS = 4_000
"""Of one text that is shown; what is longer is cut off, which is told."""

MOST_COMPARED = 20_000
"""Characters of one record that are compared word by word; past them a text is old or new."""

MOST_FIELDS = 60
CONTEXT = 160
"""Characters of what is the same that are shown around a change."""

WORDS = re.compile(r"\w+\s*|[^\w\s]\s*|\s+")
Way = Literal["same", "gone", "new"]


class Span(NamedTuple):
    way: Way
    text: str


class FieldChange(NamedTuple):
    """One field of a record; a side is empty where the field is not there."""

    path: str
    before: list[Span]
    after: list[Span]
    clipped: bool = False


def changed_fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldChange]:
    """The fields that differ, each by its path, the first 60 of them."""
    left, right = dict(_leaves(before)), dict(_leaves(after))
    paths = [path for path in dict.fromkeys([*left, *right]) if left.get(path) != right.get(path)]
    changes, room = [], MOST_COMPARED
    for path in paths[:MOST_FIELDS]:
        change = _change(path, left.get(path), right.get(path), by_words=room > 0)
        room -= len(left.get(path, "")) + len(right.get(path, ""))
        changes.append(change)
    return changes


def _change(path: str, before: str | None, after: str | None, by_words: bool) -> FieldChange:
    clipped = any(len(text or "") > MOST_CHARACTERS for text in (before, after))
    left, right = (before or "")[:MOST_CHARACTERS], (after or "")[:MOST_CHARACTERS]
    if before is None or after is None or not by_words:
        gone = [Span("gone", left)] if before is not None else []
        new = [Span("new", right)] if after is not None else []
        return FieldChange(path, gone, new, clipped)
    return FieldChange(path, *words_apart(left, right), clipped)


def words_apart(before: str, after: str) -> tuple[list[Span], list[Span]]:
    """Both texts in spans, what only one of them has marked; what is the same at its ends alone."""
    gone, new = marked(before, after)
    return shortened(gone), shortened(new)


def marked(before: str, after: str) -> tuple[list[Span], list[Span]]:
    """Both texts in spans, whole, what only one of them has marked."""
    left, right = WORDS.findall(before), WORDS.findall(after)
    gone: list[Span] = []
    new: list[Span] = []
    for tag, start, end, from_, to in SequenceMatcher(None, left, right).get_opcodes():
        cut, put = "".join(left[start:end]), "".join(right[from_:to])
        if tag == "equal":
            gone.append(Span("same", cut))
            new.append(Span("same", put))
            continue
        if cut:
            gone.append(Span("gone", cut))
        if put:
            new.append(Span("new", put))
    return gone, new


def shortened(spans: list[Span]) -> list[Span]:
    """Long stretches that are the same are left out but for their ends."""
    last = len(spans) - 1
    return [
        Span("same", _ends(text, at > 0, at < last)) if way == "same" else Span(way, text)
        for at, (way, text) in enumerate(spans)
    ]


def _ends(text: str, keeps_start: bool, keeps_end: bool) -> str:
    if len(text) <= 2 * CONTEXT + 20:
        return text
    start = text[:CONTEXT] if keeps_start else ""
    end = text[-CONTEXT:] if keeps_end else ""
    return f"{start} … {end}" if start or end else f"{text[:CONTEXT]} …"


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """The texts of a JSON value by their paths; lists of plain values are one text."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        for at, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{at}]")
    else:
        yield path, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
