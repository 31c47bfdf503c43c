"""Sessions of an agent runtime: what was asked in each of their runs."""

from collections.abc import Mapping
from typing import Any

from apps.targets.contracts import Message


def messages(payload: Mapping[str, Any]) -> tuple[Message, ...]:
    runs = payload["row"].get("runs", ())
    return tuple(Message(role="user", content=run["user_input"]) for run in runs)


def reference_of(payload: Mapping[str, Any]) -> str | None:
    return None


def answer_of(payload: Mapping[str, Any]) -> str | None:
    return None
