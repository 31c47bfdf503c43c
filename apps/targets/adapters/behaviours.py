"""What an answer tells of how the system went about it, put into one shape.

The answer comes from outside: what is no tool call, approval or event is left out, lists are cut
at a number and nesting at a depth, so that whatever reads it later is bounded.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

import orjson

from apps.targets.contracts import Behaviour
from apps.targets.paths import value_or_none
from apps.targets.specs import HttpJsonSpec

MOST_CALLS = 1_000
MOST_EVENTS = 10_000
LONGEST = 10_000
"""Characters of a status, a reason, an id or a name."""
DEEPEST = 24
"""Levels of a tool's arguments; what lies deeper is kept as JSON text."""

NAMES = ("name", "tool", "tool_name")
ARGUMENTS = ("arguments", "input", "args", "parameters")
RESULTS = ("result", "output", "response")
APPROVAL_IDS = ("approval_id", "id")

Found = dict[str, Any]


def behaviour_at(spec: HttpJsonSpec, document: Any) -> Behaviour | None:
    """What lies at the spec's paths, nothing included; None where it names none."""
    paths = {field: getattr(spec, f"{field}_path") for field in _READERS}
    if not any(paths.values()):
        return None
    return Behaviour(
        **{
            field: _READERS[field](value_or_none(document, path))
            for field, path in paths.items()
            if path
        }
    )


def behaviour_of_message(message: Mapping[str, Any], *, offered: bool) -> Behaviour | None:
    """The tools that a chat completion calls; none where tools were `offered` is known too."""
    calls = tool_calls_of(message.get("tool_calls"))
    return Behaviour(tool_calls=calls) if calls or offered else None


def answers(behaviour: Behaviour | None) -> bool:
    """Whether it is an answer without any text: tools were called, or the run ended somehow."""
    return behaviour is not None and bool(
        behaviour.tool_calls or behaviour.approvals or behaviour.status or behaviour.failure_reason
    )


def tool_calls_of(value: Any) -> tuple[Found, ...]:
    """{"name", "arguments", "result"} of each call, however the system spells these."""
    calls = (_tool_call(each) for each in islice(_listed(value), MOST_CALLS))
    return tuple(call for call in calls if call)


def with_each_text(value: Any, change: Callable[[str], str]) -> Any:
    """The JSON value with every text changed, keys too; at most as deep as what is read here."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(key): with_each_text(each, change) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [with_each_text(each, change) for each in value]
    return value


def _tool_call(value: Any) -> Found | None:
    if isinstance(value, str):
        return {"name": value[:LONGEST]} if value else None
    if not isinstance(value, dict):
        return None
    said = value["function"] if isinstance(value.get("function"), dict) else value
    name = _first(said, NAMES)
    if not isinstance(name, str) or not name:
        return None
    parts = {"arguments": _first(said, ARGUMENTS), "result": _first(value, RESULTS)}
    known = {key: _bounded(part) for key, part in parts.items() if part is not None}
    return {"name": name[:LONGEST], **known}


def _approvals(value: Any) -> tuple[Found, ...]:
    """Objects as they are; a text alone is an approval's id."""
    found = (
        {"approval_id": each} if isinstance(each, str) else each
        for each in islice(_listed(value), MOST_CALLS)
    )
    return tuple(_bounded(each) for each in found if isinstance(each, dict) and each)


def _trace(value: Any) -> tuple[Found, ...]:
    return tuple(
        {
            "event_type": each["event_type"][:LONGEST],
            "trace_id": _text(each.get("trace_id")),
            "payload": _bounded(each["payload"]) if isinstance(each.get("payload"), dict) else {},
        }
        for each in islice(_listed(value), MOST_EVENTS)
        if isinstance(each, dict) and isinstance(each.get("event_type"), str)
    )


def _listed(value: Any) -> Iterable[Any]:
    """The members of a list; anything else stands for a list of one."""
    if isinstance(value, list):
        return value
    return () if value in (None, "") else (value,)


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return (value if isinstance(value, str) else _as_json(value))[:LONGEST]


def _bounded(value: Any, depth: int = DEEPEST) -> Any:
    if not isinstance(value, dict | list):
        return value
    if not depth:
        return _as_json(value)
    if isinstance(value, list):
        return [_bounded(each, depth - 1) for each in value]
    return {key: _bounded(each, depth - 1) for key, each in value.items()}


def _as_json(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:  # it was read deeper than it can be written
        return "(nested too deeply)"


_READERS: dict[str, Callable[[Any], Any]] = {
    "status": _text,
    "failure_reason": _text,
    "tool_calls": tool_calls_of,
    "approvals": _approvals,
    "trace": _trace,
    "trace_id": _text,
    "release_identity": _text,
    "idempotency_key": _text,
    "side_effect_status": _text,
}
