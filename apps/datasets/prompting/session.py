"""Sessions of an agent runtime: what was asked in each of their runs."""

from collections.abc import Mapping
from typing import Any

from apps.targets.contracts import Message


def messages(payload: Mapping[str, Any]) -> tuple[Message, ...]:
    said = [run["user_input"] for run in payload["row"].get("runs", ())]
    return tuple(Message(role="user", content=text) for text in said or [_known(payload)])


def reference_of(payload: Mapping[str, Any]) -> str | None:
    return None


def answer_of(payload: Mapping[str, Any]) -> str | None:
    """What the agent said in all of its runs, in order."""
    said = [run["output_text"] for run in payload["row"].get("runs", ())]
    return "\n\n".join(text for text in said if text) or None


def _known(payload: Mapping[str, Any]) -> str:
    """Stands for the user's words where a session has no runs."""
    spec = payload["row"].get("eval") or {}
    scenario = spec.get("scenario")
    return f"Scenario {scenario}" if scenario else f"Session {payload['record_id']}"
