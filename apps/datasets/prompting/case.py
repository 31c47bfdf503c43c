"""Cases of agentv files."""

from collections.abc import Mapping
from typing import Any

from apps.targets.contracts import Message


def messages(payload: Mapping[str, Any]) -> tuple[Message, ...]:
    return (Message(role="user", content=str(payload["row"].get("input", ""))),)


def reference_of(payload: Mapping[str, Any]) -> str | None:
    return None


def answer_of(payload: Mapping[str, Any]) -> str | None:
    return None
