"""Rules as other formats write them, put into the words of ours.

A dialect is a module with `knows(entry)` and `translated(entry)`; what is in our own words
already passes through unchanged, so translating twice changes nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from . import agentv, scenarios
from .naming import LONGEST_NAME, named, slug

__all__ = ["DIALECTS", "LONGEST_NAME", "Entry", "normalised", "slug"]

DIALECTS = (agentv, scenarios)

Entry = dict[str, Any]


def normalised(entries: Sequence[Any]) -> list[Any]:
    """Each entry as one of our rules, with a name of its own; what is no object stays as it is.

    A bare text is a criterion for a judge, as in agentv.
    """
    taken: set[str] = {
        entry["name"]
        for entry in entries
        if isinstance(entry, Mapping) and isinstance(entry.get("name"), str)
    }
    return [named(_translated(entry), entry, place, taken) for place, entry in enumerate(entries)]


def _translated(entry: Any) -> Any:
    if isinstance(entry, str):
        return agentv.criterion(entry)
    if not isinstance(entry, Mapping) or not isinstance(entry.get("type"), str):
        return entry
    dialect = next((each for each in DIALECTS if each.knows(entry)), None)
    if dialect:
        return dialect.translated(entry)
    return {**entry, "type": entry["type"].replace("-", "_")}
