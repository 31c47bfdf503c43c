"""From a record's payload to the messages that a target is sent. Pure."""

from typing import Any

from apps.targets.contracts import Message


def messages(payload: dict[str, Any]) -> tuple[Message, ...]:
    """A record of kind prompt asks with its prompt, as one message of the user."""
    return (Message(role="user", content=payload["input"]["prompt"]),)


def reference_of(payload: dict[str, Any]) -> str | None:
    """The answer that the record calls right, if it names one."""
    answer = payload.get("reference", {}).get("answer")
    return answer if isinstance(answer, str) else None
