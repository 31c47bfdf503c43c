"""Which records belong to which slice, gathered while they are read. Pure."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

MOST_VALUES = 200
MOST_METADATA_KEYS = 50
MOST_MEMBERS = 1_000_000
"""Of records in slices; past that a metadata key is left out, so that storing stays quick."""

MOST_COUNTED = 20_000
"""Distinct tags that are counted at all: a bound on memory, whatever a document holds."""

METADATA = "metadata."


class Slice(NamedTuple):
    family: str
    value: str
    ordinals: list[int]


class Slices:
    """The slices of a document and what was left out, with bounded memory.

    A metadata key with more than 200 values is no slice family, nor is a key after the first 50
    or one for which a large dataset has no room; of tags and task types the 200 most frequent
    values are kept.
    """

    def __init__(self) -> None:
        self._families: dict[str, dict[str, list[int]]] = {}
        self._too_wide: set[str] = set()
        self._keys = 0
        self._left_out = False

    def add(self, ordinal: int, facets: Iterable[tuple[str, str]]) -> None:
        families = self._families
        for family, value in facets:
            values = families.get(family)
            if values is None:
                values = self._opened(family)
            members = values.get(value)
            if members is not None:
                members.append(ordinal)
            elif family not in self._too_wide:
                self._add_value(family, values, value, ordinal)

    def kept(self) -> Iterator[Slice]:
        crowded_out = self._crowded_out()
        for family, values in self._families.items():
            if family not in crowded_out:
                for value in _most_frequent(values):
                    yield Slice(family, value, values[value])

    @property
    def warnings(self) -> list[str]:
        wide = [
            f"{family} has more than {MOST_VALUES} values, so it is no slice."
            if family.startswith(METADATA)
            else f"{family} has more than {MOST_VALUES} values: the most frequent are slices."
            for family in sorted(self._families)
            if family in self._too_wide or len(self._families[family]) > MOST_VALUES
        ]
        if self._left_out:
            wide.append(f"Only the first {MOST_METADATA_KEYS} metadata keys are slices.")
        if crowded_out := sorted(self._crowded_out()):
            wide.append(f"There was no room for slices by {', '.join(crowded_out)}.")
        return wide

    def _crowded_out(self) -> set[str]:
        """The metadata keys that would make too many members, the last ones first."""
        sizes = {
            family: sum(map(len, values.values())) for family, values in self._families.items()
        }
        keys = [family for family in sizes if family.startswith(METADATA)]
        total = sum(sizes.values())
        out: set[str] = set()
        while keys and total > MOST_MEMBERS:
            total -= sizes[keys[-1]]
            out.add(keys.pop())
        return out

    def _opened(self, family: str) -> dict[str, list[int]]:
        """The values of a family met for the first time; a throw-away where there is no room."""
        if family.startswith(METADATA):
            if self._keys == MOST_METADATA_KEYS:
                self._left_out = True
                return {}
            self._keys += 1
        return self._families.setdefault(family, {})

    def _add_value(
        self, family: str, values: dict[str, list[int]], value: str, ordinal: int
    ) -> None:
        of_metadata = family.startswith(METADATA)
        if len(values) < (MOST_VALUES if of_metadata else MOST_COUNTED):
            values[value] = [ordinal]
            return
        self._too_wide.add(family)
        if of_metadata:
            values.clear()


def _most_frequent(values: dict[str, list[int]]) -> list[str]:
    if len(values) <= MOST_VALUES:
        return list(values)
    return sorted(values, key=lambda value: (-len(values[value]), value))[:MOST_VALUES]
