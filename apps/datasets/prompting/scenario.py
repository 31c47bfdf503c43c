"""Agent scenarios: what the user says, turn by turn."""

from collections.abc import Mapping
from typing import Any

from apps.targets.contracts import Message


def messages(payload: Mapping[str, Any]) -> tuple[Message, ...]:
    row = payload["row"]
    said = row.get("user_inputs") or [_known(row)]
    return tuple(Message(role="user", content=text) for text in said)


def inputs(payload: Mapping[str, Any]) -> tuple[str, ...]:
    """What the user says in one session, each when the one before is answered."""
    return tuple(payload["row"].get("user_inputs") or ())


def reference_of(payload: Mapping[str, Any]) -> str | None:
    return None


def answer_of(payload: Mapping[str, Any]) -> str | None:
    return None


def _known(row: Mapping[str, Any]) -> str:
    """Stands for the user's words where a grading contract alone was given."""
    labels = ", ".join(row.get("labels", ()))
    return f"Scenario {row['scenario_id']}" + (f" ({labels})" if labels else "")
