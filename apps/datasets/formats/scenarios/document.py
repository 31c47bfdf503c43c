"""The items of a file, whichever way it is spelled, and what stands around them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import orjson

from apps.datasets.contracts import Rejected
from apps.datasets.formats.base import Progress
from apps.datasets.formats.building import Place
from apps.datasets.formats.contract_v1.items import Items
from apps.datasets.formats.contract_v1.json_text import JsonText, repeated_key
from apps.datasets.formats.decoding import BOM, require_utf8
from apps.datasets.formats.lines import NotJson, json_lines, loads
from apps.datasets.uploading.bundles import Bundle
from apps.datasets.uploading.limits import MAX_RECORD_BYTES, Source

from .items import HOLDERS, Found, Holder, Item, item_of
from .yaml_document import in_yaml

YAML = (".yaml", ".yml")
LINES = (".jsonl", ".ndjson")
REPORT_EVERY = 500
MOST_AROUND = 4 * 1024 * 1024
VERSION = re.compile(rb'"dataset_version"\s*:\s*("(?:[^"\\]|\\.){0,400}")')


@dataclass(slots=True)
class _Outline:
    holder: Holder = ""
    starts: int = 0
    fields: dict[str, Any] = field(default_factory=dict)


def read_items(bundle: Bundle, progress: Progress | None = None) -> Found:
    """Raises Rejected, and so does going through the items."""
    raw, start = bundle.raw, require_utf8(bundle.raw)
    if bundle.name.lower().endswith(YAML) or bytes(raw[start : start + 4096]).lstrip()[:1] not in (
        b"{",
        b"[",
    ):
        return in_yaml(bytes(raw[start:]))
    text = JsonText(raw)
    at = text.skip_space(start)
    if text.byte(at) == b"[":
        return _versioned(raw, Found("", {}, _array(text, at + 1, 0, progress)))
    if is_lines(bundle.name, bytes(raw[at : at + MAX_RECORD_BYTES])):
        return _versioned(raw, Found("", {}, _lines(raw, progress)))
    return _object(text, at, progress)


def is_lines(name: str, head: bytes) -> bool:
    """Whether each line is an item: the first one is whole, and holds no others."""
    first = head.removeprefix(BOM).lstrip().split(b"\n", 1)[0]
    try:
        value = orjson.loads(first)
    except orjson.JSONDecodeError:
        return name.lower().endswith(LINES) and b'"sessions"' not in head
    return isinstance(value, dict) and not any(isinstance(value.get(key), list) for key in HOLDERS)


# -- JSON -----------------------------------------------------------------------------------


def _lines(raw: Source, progress: Progress | None) -> Iterator[Item]:
    for line in json_lines(raw, progress):
        error = f"{line.error} at column {line.column}." if line.error else ""
        yield item_of(line.place, line.value, error)


def _array(text: JsonText, at: int, line: int, progress: Progress | None) -> Iterator[Item]:
    """The items of the array whose `[` stands before `at`; nothing but them may be in the file
    where `line` is 0, else it is the line in which the array begins."""
    raw, last, number = text.raw, 0 if not line else at, line or 1
    if text.byte(text.skip_space(at)) == b"]":
        return
    found = Items(text, at)
    for index, each in enumerate(found):
        number += bytes(raw[last : each.start]).count(b"\n")
        last = each.start
        yield _spelled(Place(index, each.start, each.length, number), each.text)
        if progress and index % REPORT_EVERY == 0:
            progress(each.start, len(raw))
    if not line and bytes(raw[found.end :]).strip():
        text.refuse(text.skip_space(found.end), "nothing may follow the array")
    if progress:
        progress(len(raw), len(raw))


def _spelled(place: Place, text: bytes | None) -> Item:
    if text is None or len(text) > MAX_RECORD_BYTES:
        return item_of(place, None, f"The record is longer than {MAX_RECORD_BYTES:,} bytes.")
    try:
        return item_of(place, loads(text), "")
    except NotJson as error:
        return item_of(place, None, f"{error}.")


def _object(text: JsonText, start: int, progress: Progress | None) -> Found:
    """A document with the items in it, or the one item that the whole file is."""
    outline = _outline(text, start)
    if not outline.holder:
        place = Place(0, start, len(text.raw) - start, 1)
        spelled = bytes(text.raw[start:]) if place.length <= MAX_RECORD_BYTES else None
        return Found("", {}, iter([_spelled(place, spelled)]))
    line = 1 + bytes(text.raw[: outline.starts]).count(b"\n")
    items = _array(text, outline.starts, line, progress)
    found = Found(outline.holder, outline.fields, items)
    return found if outline.holder == "sessions" else _versioned(text.raw, found)


def _outline(text: JsonText, start: int) -> _Outline:
    """Walk over the fields of the top level; raises Rejected for what is no JSON."""
    found = _Outline()
    at = text.skip_space(start + 1)
    if text.byte(at) == b"}":
        raise Rejected("The file has no scenarios.")
    while True:
        at = _member(text, at, found)
        mark = text.byte(at)
        if mark == b"}":
            break
        if mark != b",":
            text.refuse(at, "a comma or } is expected after a field")
        at = text.skip_space(at + 1)
    end = text.skip_space(at + 1)
    if end < len(text.raw):
        text.refuse(end, "nothing may follow the document")
    return found


def _member(text: JsonText, at: int, found: _Outline) -> int:
    """Take in the field whose key starts at `at`; what stands behind it."""
    if text.byte(at) != b'"':
        text.refuse(at, "a key in double quotes is expected")
    key = text.value(at)
    if key.text is None or key.value in found.fields:
        raise repeated_key(str(key.value)[:100], "the top level")
    colon = text.skip_space(key.end)
    if text.byte(colon) != b":":
        text.refuse(colon, "a colon is expected after a key")
    value_at = text.skip_space(colon + 1)
    if key.value in HOLDERS and text.byte(value_at) == b"[":
        return _holder(text, key.value, value_at + 1, found)
    value = text.value(value_at)
    if value.text is None or len(value.text) > MOST_AROUND:
        raise Rejected(
            f"{key.value[:100]} is far too large: it takes {value.end - value_at:,} bytes."
        )
    found.fields[key.value] = value.value
    return text.skip_space(value.end)


def _holder(text: JsonText, key: Holder, at: int, found: _Outline) -> int:
    if found.holder:
        raise Rejected("The file has both sessions and scenarios: send them as two files.")
    found.holder, found.starts = key, at
    found.fields[key] = []
    inside = text.skip_space(at)
    end = inside + 1 if text.byte(inside) == b"]" else Items(text, at).skip()
    return text.skip_space(end)


def _versioned(raw: Source, found: Found) -> Found:
    """With the dataset_version of the first item, where no item names another."""
    first = next(found.items, None)
    if first is None:
        return found
    spelled = {match[1] for match in _some(VERSION.finditer(raw))}
    said = str(first.row.get("dataset_version", ""))
    same = len(spelled) == 1 and _decoded(spelled.pop()) == said
    return Found(found.holder, found.around, chain([first], found.items), said if same else "")


def _some(matches: Iterator[re.Match[bytes]]) -> Iterator[re.Match[bytes]]:
    """No further than to the second that is different from the first."""
    first = next(matches, None)
    if first is not None:
        yield first
        yield from (match for match in matches if match[1] != first[1])


def _decoded(spelled: bytes) -> str:
    try:
        return str(orjson.loads(spelled))
    except orjson.JSONDecodeError:
        return ""
