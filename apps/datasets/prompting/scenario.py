"""Agent scenarios: what the user says, turn by turn."""

from collections.abc import Mapping
from typing import Any

from apps.targets.contracts import Message


def messages(payload: Mapping[str, Any]) -> tuple[Message, ...]:
    said = payload["row"]["user_inputs"]
    return tuple(Message(role="user", content=text) for text in said)


def reference_of(payload: Mapping[str, Any]) -> str | None:
    return None


def answer_of(payload: Mapping[str, Any]) -> str | None:
    return None
