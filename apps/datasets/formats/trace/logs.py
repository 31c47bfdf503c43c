"""A plain log of messages: one run a line, with roles and tool calls."""

from collections.abc import Mapping
from typing import Any

from apps.datasets.formats.building import Problem

Row = Mapping[str, Any]
Problems = list[Problem]

TEXTS = ("trace_id", "scenario_id", "session_id", "status", "model")
SPEAKERS = frozenset(("system", "developer", "user", "assistant", "tool", "function"))


def is_log(value: Any) -> bool:
    return isinstance(value, dict) and "messages" in value


def trace_id_of(row: Row) -> str:
    """Its own, or that of its scenario and trial; empty where it names neither."""
    own, scenario, trial = row.get("trace_id"), row.get("scenario_id"), row.get("trial")
    if isinstance(own, str) and own.strip():
        return own.strip()
    if isinstance(scenario, str) and scenario.strip() and _is_number(trial):
        return f"{scenario.strip()}_trial{trial}"
    return ""


def problems_of(row: Row) -> Problems:
    problems: Problems = []
    if not trace_id_of(row):
        sentence = "The log names no run: give it a trace_id, or a scenario_id and a trial."
        problems.append(Problem("missing_required_field", sentence, "trace_id"))
    for field in TEXTS:
        if row.get(field) is not None and not isinstance(row[field], str):
            problems.append(_type(f"{field} must be a text.", field, row[field]))
    _check_further(row, problems)
    messages = row["messages"]
    if not isinstance(messages, list) or not messages:
        sentence = "messages must be a list of at least one message."
        return [*problems, _type(sentence, "messages", messages)]
    for index, message in enumerate(messages):
        _check_message(message, f"messages[{index}]", problems)
    return problems


def warnings_of(row: Row) -> Problems:
    strange = {message["role"] for message in row["messages"]} - SPEAKERS
    return [
        Problem(
            "unknown_role", f"The role {role[:60]} is not known: it is shown as it is.", "messages"
        )
        for role in sorted(strange)
    ]


def _check_further(row: Row, problems: Problems) -> None:
    if row.get("trial") is not None and not _is_number(row["trial"]):
        problems.append(_type("trial must be a whole number.", "trial", row["trial"]))
    if row.get("tool_calls") is not None and not isinstance(row["tool_calls"], list):
        problems.append(_type("tool_calls must be a list.", "tool_calls", row["tool_calls"]))
    if row.get("reward_info") is not None and not isinstance(row["reward_info"], dict):
        problems.append(_type("reward_info must be an object.", "reward_info", row["reward_info"]))


def _check_message(message: Any, path: str, problems: Problems) -> None:
    if not isinstance(message, dict):
        problems.append(_type(f"{path} must be an object.", path, message))
        return
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or not role.strip():
        problems.append(_type(f"{path}.role must be a text.", f"{path}.role", role))
    if content is not None and not isinstance(content, str | list):
        sentence = f"{path}.content must be a text, a list of parts or null."
        problems.append(_type(sentence, f"{path}.content", content))
    calls = message.get("tool_calls")
    good = isinstance(calls, list) and all(isinstance(call, dict) for call in calls)
    if calls is not None and not good:
        sentence = f"{path}.tool_calls must be a list of objects."
        problems.append(_type(sentence, f"{path}.tool_calls", calls))


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _type(sentence: str, path: str, value: Any) -> Problem:
    return Problem("invalid_field_type", sentence, path, value)
