"""Rules as other formats write them, put into the words of ours.

A dialect is a module with `knows(entry)` and `translated(entry)`; what is in our own words
already passes through unchanged, so translating twice changes nothing.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from . import agentv, scenarios

DIALECTS = (agentv, scenarios)
LONGEST_NAME = 64

Entry = dict[str, Any]


def normalised(entries: Sequence[Any]) -> list[Any]:
    """Each entry as one of our rules, with a name of its own; what is no object stays as it is."""
    taken: set[str] = {
        entry["name"]
        for entry in entries
        if isinstance(entry, Mapping) and isinstance(entry.get("name"), str)
    }
    return [_named(_translated(entry), place, taken) for place, entry in enumerate(entries)]


def _translated(entry: Any) -> Any:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("type"), str):
        return entry
    dialect = next((each for each in DIALECTS if each.knows(entry)), None)
    return dialect.translated(entry) if dialect else dict(entry)


def _named(entry: Any, place: int, taken: set[str]) -> Any:
    """With the name `type_place` where it has none, as agentv names its assertions."""
    if not isinstance(entry, dict) or entry.get("name") is not None:
        return entry
    base = slug(f"{entry.get('type', 'rule')}_{place}")
    names = (base, *(f"{base[:60]}_{number}" for number in range(2, len(taken) + 3)))
    name = next(each for each in names if each not in taken)
    taken.add(name)
    return {**entry, "name": name}


def slug(name: str) -> str:
    """A name as rules may have it: a-z, 0-9, _ and -."""
    return re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-")[:LONGEST_NAME] or "rule"
