"""Rows of one chunk each, folded into pairs with all their chunks."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from apps.datasets.formats.building import Place, Problem
from apps.datasets.formats.rows import Given

from .pair import CHUNK_TEXT, content_id, response_field

GROUPED_BY = ("record_id", "group", "id")
OF_CHUNK = ("chunk_id", "doc_id", "chunk_rank")
SAME = ("query", "response", "answer", "context", "context_set", "source")
"""What the rows of one pair must agree on."""

Fields = dict[str, Any]


@dataclass(slots=True)
class _Group:
    """The rows of one pair, kept as bytes: a file may be little else than one of them."""

    place: Place
    shared: bytes
    chunks: list[bytes] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class Folded(Iterable[tuple[Given, list[Problem]]]):
    """The pairs in the order of their first rows, whose other rows need not follow at once.

    What brings the rows of a pair together is record_id, else group, else id, else its content.
    """

    def __init__(self, items: Iterable[Given]) -> None:
        self._items = items
        self._groups: dict[str, _Group] = {}

    def __iter__(self) -> Iterator[tuple[Given, list[Problem]]]:
        for given in self._items:
            self._add(given)
        for index, key in enumerate(list(self._groups)):
            group = self._groups.pop(key)
            fields = _loaded(group.shared)
            if group.chunks:
                fields["chunks"] = [_loaded(chunk) for chunk in group.chunks]
            yield Given(replace(group.place, index=index), fields), group.problems

    def _add(self, given: Given) -> None:
        name, value = _brought_together_by(given.fields)
        key = f"{name} {value}" if given.problem is None else f"row {given.place.index}"
        shared = _dumped(_shared(given.fields, name))
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = _Group(given.place, shared)
        elif shared != group.shared:
            group.problems += _conflicts(_loaded(group.shared), _loaded(shared), given.place)
        if given.problem is not None:
            group.problems.append(given.problem)
        chunk = _chunk(given.fields)
        if chunk:
            group.chunks.append(_dumped(chunk))


def _brought_together_by(fields: Fields) -> tuple[str, str]:
    """The field that names the pair, and what it says; a hash of the content where none does."""
    for name in GROUPED_BY:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return name, value
    said = (fields.get(name) for name in ("query", response_field(fields), "context_set"))
    query, response, context_set = (text if isinstance(text, str) else "" for text in said)
    return "", content_id(query, response, context_set, [])


def _shared(fields: Fields, name: str) -> Fields:
    """What the row says of its pair."""
    of_pair = {
        key: value for key, value in fields.items() if key not in (*OF_CHUNK, CHUNK_TEXT, name)
    }
    return {"id": fields[name], **of_pair} if name else of_pair


def _chunk(fields: Fields) -> Fields:
    chunk = {name: fields[name] for name in OF_CHUNK if fields.get(name) not in (None, "")}
    text = fields.get(CHUNK_TEXT)
    return {**chunk, "text": text} if chunk or text else {}


def _conflicts(first: Fields, other: Fields, place: Place) -> Iterator[Problem]:
    for name in SAME:
        if first.get(name) != other.get(name):
            sentence = f"{name} on line {place.line} is another than on the pair's first line."
            yield Problem("conflicting_rows", sentence, name, other.get(name))


def _dumped(value: Fields) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except RecursionError:
        return b'{"metadata": {}}'


def _loaded(spelled: bytes) -> Fields:
    value: Fields = json.loads(spelled.decode("utf-8", "surrogatepass"))
    return value
