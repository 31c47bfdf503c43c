"""What a description is made of, and how values are spelled in it. Pure."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

CLIPPED = 2_000
MOST = 100
"""Items of one section that are listed."""

Row = Mapping[str, Any]


class Mark(NamedTuple):
    """One line of a list: a criterion, a choice, a rule."""

    text: str
    label: str = ""
    note: str = ""
    weight: str = ""
    right: bool = False


class Piece(NamedTuple):
    """A text that is folded away under its title."""

    title: str
    text: str
    note: str = ""


class Section(NamedTuple):
    title: str
    hint: str = ""
    text: str = ""
    marks: tuple[Mark, ...] = ()
    pieces: tuple[Piece, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()


def spelled(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def listed(value: Any) -> list[Any]:
    return list(value[:MOST]) if isinstance(value, list) else []


def objects(value: Any) -> list[Row]:
    """The objects of a list, or the one that stands alone."""
    values: Iterable[Any] = [value] if isinstance(value, Mapping) else listed(value)
    return [each for each in values if isinstance(each, Mapping)]


def as_weight(value: Any) -> str:
    return f"weight {as_text(value)}"


def facts_in_line(facts: Row) -> str:
    if set(facts) == {"value"}:
        return as_text(facts["value"])
    return ", ".join(f"{name}: {as_text(value)}" for name, value in facts.items())


def as_text(value: Any, clip: bool = True) -> str:
    """One value as people read it: texts as they are, lists of texts with commas, else JSON."""
    if value is None:
        return ""
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        value = ", ".join(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if not clip or len(text) <= CLIPPED else text[: CLIPPED - 1] + "…"
