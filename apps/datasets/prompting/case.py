"""Cases of agentv files: what reading put together of input, prompts and files."""

from collections.abc import Mapping
from typing import Any

from apps.targets.contracts import Message


def messages(payload: Mapping[str, Any]) -> tuple[Message, ...]:
    return tuple(Message(**message) for message in payload["resolved"]["messages"])


def reference_of(payload: Mapping[str, Any]) -> str | None:
    return payload["resolved"]["reference_answer"] or None


def answer_of(payload: Mapping[str, Any]) -> str | None:
    return None
