"""Records of Dataset Contract v1: one prompt."""

from collections.abc import Mapping
from typing import Any

from apps.targets.contracts import Message


def messages(payload: Mapping[str, Any]) -> tuple[Message, ...]:
    return (Message(role="user", content=payload["input"]["prompt"]),)


def reference_of(payload: Mapping[str, Any]) -> str | None:
    answer = payload.get("reference", {}).get("answer")
    return answer if isinstance(answer, str) else None


def answer_of(payload: Mapping[str, Any]) -> str | None:
    return None
