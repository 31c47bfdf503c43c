"""Assertions of agentv, of every era, as rules."""

from collections.abc import Mapping
from typing import Any


def knows(entry: Mapping[str, Any]) -> bool:
    """Whether the entry is written as agentv does, and not in our words."""
    return False


def translated(entry: Mapping[str, Any]) -> dict[str, Any]:
    return dict(entry)
