"""One scenario or session as it stands in a file, and all of them with what is around."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from apps.datasets.formats.building import Place, Problem

Holder = Literal["", "scenarios", "sessions"]
HOLDERS: tuple[Holder, ...] = ("sessions", "scenarios")


@dataclass(frozen=True, slots=True)
class Item:
    """One scenario or session; `problem` says why it has no fields."""

    place: Place
    row: dict[str, Any]
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """`holder` is the field that the items are in, `around` the fields beside it, in order with
    the holder itself (empty); `version` is the dataset_version that every item names."""

    holder: Holder
    around: dict[str, Any]
    items: Iterator[Item]
    version: str = ""


def item_of(place: Place, value: Any, error: str) -> Item:
    if error:
        return Item(place, {}, Problem("invalid_json", error))
    if not isinstance(value, dict):
        return Item(place, {}, Problem("invalid_field_type", "The record must be an object."))
    return Item(place, value)
