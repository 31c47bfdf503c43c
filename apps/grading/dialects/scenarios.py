"""Grading rules of agent scenarios, and their expected outcomes, as rules."""

from collections.abc import Mapping
from typing import Any


def knows(entry: Mapping[str, Any]) -> bool:
    """Whether the entry is written as scenarios do: type, expected, blocking."""
    return False


def translated(entry: Mapping[str, Any]) -> dict[str, Any]:
    return dict(entry)


def of_outcomes(expected: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One rule for each of the expected outcomes, named after it."""
    return []
