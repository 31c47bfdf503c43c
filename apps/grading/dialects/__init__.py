"""Rules as other formats write them, put into the words of ours.

A dialect is a module with `knows(entry)` and `translated(entry)`; what is in our own words
already passes through unchanged, so translating twice changes nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from . import agentv, scenarios
from .naming import LONGEST_NAME, Names, by_place, slug

__all__ = ["DIALECTS", "LONGEST_NAME", "Entry", "Names", "normalised", "slug", "with_names"]

DIALECTS = (agentv, scenarios)

Entry = dict[str, Any]


def normalised(entries: Sequence[Any]) -> list[Any]:
    """Each entry as one of our rules, with a name of its own; what is no object stays as it is.

    A bare text is a criterion for a judge, as in agentv.
    """
    return [entry for entry, _ in with_names(entries)]


def with_names(entries: Sequence[Any]) -> list[tuple[Any, bool]]:
    """As `normalised`, each with whether it states its name: others have one by type and place."""
    found = [_translated(entry) for entry in entries]
    names = Names(entry["name"] for entry in found if _is_named(entry))
    return [
        (entry, True)
        if not isinstance(entry, dict) or entry.get("name") is not None
        else ({**entry, "name": names.free(by_place(entry, said, place))}, False)
        for place, (entry, said) in enumerate(zip(found, entries, strict=True))
    ]


def _is_named(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("name"), str)


def _translated(entry: Any) -> Any:
    if isinstance(entry, str):
        return agentv.criterion(entry)
    if not isinstance(entry, Mapping) or not isinstance(entry.get("type"), str):
        return entry
    dialect = next((each for each in DIALECTS if each.knows(entry)), None)
    if dialect:
        return dialect.translated(entry)
    return {**entry, "type": entry["type"].replace("-", "_")}
