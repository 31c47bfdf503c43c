"""Names of rules."""

import re
from typing import Any

LONGEST_NAME = 64


def slug(name: str) -> str:
    """A name as rules may have it: a-z, 0-9, _ and -."""
    return re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-")[:LONGEST_NAME] or "rule"


def named(entry: Any, said: Any, place: int, taken: set[str]) -> Any:
    """With the name `type_place` where it has none, as agentv names its assertions.

    The type is that of `said`, the entry as its format wrote it.
    """
    if not isinstance(entry, dict) or entry.get("name") is not None:
        return entry
    kind = said.get("type", "rule") if isinstance(said, dict) else entry.get("type", "rule")
    base = slug(f"{kind}_{place}")
    names = (base, *(f"{base[:60]}_{number}" for number in range(2, len(taken) + 3)))
    name = next(each for each in names if each not in taken)
    taken.add(name)
    return {**entry, "name": name}
