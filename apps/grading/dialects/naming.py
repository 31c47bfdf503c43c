"""Names of rules."""

import re
from collections.abc import Iterable
from typing import Any

LONGEST_NAME = 64
LONGEST_STEM = 58
"""What is left of a name that gets a number."""


class Names:
    """Names that are taken, and free ones like them; any number of them in linear time."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def free(self, name: str) -> str:
        """The name, with a number where it is taken; from now on it is."""
        if name in self._taken:
            name = self._numbered(name[:LONGEST_STEM])
        self._taken.add(name)
        return name

    def _numbered(self, stem: str) -> str:
        number = self._next.get(stem, 2)
        while f"{stem}_{number}" in self._taken:
            number += 1
        self._next[stem] = number + 1
        return f"{stem}_{number}"


def slug(name: str) -> str:
    """A name as rules may have it: a-z, 0-9, _ and -."""
    return re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-")[:LONGEST_NAME] or "rule"


def by_place(entry: Any, said: Any, place: int) -> str:
    """The name `type_place` of an entry that has none, as agentv names its assertions.

    The type is that of `said`, the entry as its format wrote it.
    """
    kind = said.get("type", "rule") if isinstance(said, dict) else entry.get("type", "rule")
    return slug(f"{kind}_{place}")
