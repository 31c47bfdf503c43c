"""The slices that a record belongs to, and the line that stands for it in lists."""

import json
from bisect import bisect_left
from typing import Any

from apps.datasets.formats.contract_v1.values import CONTAINERS

Facet = tuple[str, str]

LENGTHS = ("1-20", "21-100", "101-500", "over 500")
LAST_WORDS = (20, 100, 500)
LONGEST_KEY = 60
LONGEST_VALUE = 200
HEAD = 200


def facets(record: dict[str, Any], task_type: str | None) -> tuple[Facet, ...]:
    """Tags, task type (the document's where the record has none), metadata of one value, length.

    A metadata key or value that is too long to head a column is no slice.
    """
    metadata = record.get("metadata", {})
    found = [("tag", tag) for tag in dict.fromkeys(record.get("tags", ()))]
    named = _text(metadata.get("task_type")) or task_type
    if named and len(named) <= LONGEST_VALUE:
        found.append(("task_type", named))
    for key, value in metadata.items():
        text = _text(value)
        if text and len(text) <= LONGEST_VALUE and len(key) <= LONGEST_KEY and key != "task_type":
            found.append((f"metadata.{key}", text))
    found.append(("length", length_of(record["input"]["prompt"])))
    return tuple(found)


def length_of(prompt: str) -> str:
    """How long a prompt is in words, every space and line break taken for the end of one."""
    words = 1 + prompt.count(" ") + prompt.count("\n")
    return LENGTHS[bisect_left(LAST_WORDS, words)]


def head_of(prompt: str) -> str:
    """The first 200 characters, on one line."""
    return prompt[:HEAD].replace("\n", " ").replace("\r", " ").replace("\t", " ")


def _text(value: Any) -> str:
    """A single value as text; nothing for an object, an array or null."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, CONTAINERS):
        return ""
    return json.dumps(value) if isinstance(value, bool) else str(value)
