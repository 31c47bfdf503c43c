"""Messages of agentv as turns: texts, and the tools that were called."""

from collections.abc import Mapping
from typing import Any

from apps.datasets.formats.agentv.messages import plain
from apps.grading.subjects import ToolCall, Turn

TOOLS = ("tool", "name", "tool_name", "toolName")
ARGUMENTS = ("input", "arguments", "args")
RESULTS = ("output", "result")
DURATIONS = ("duration_ms", "durationMs")


def turns_of(messages: Any) -> tuple[Turn, ...]:
    """A turn for each message; what is none is left out."""
    listed = messages if isinstance(messages, list) else []
    return tuple(_turn(each) for each in listed if isinstance(each, Mapping))


def number(value: Any) -> float | None:
    """A count, a time or an amount: no less than nothing, and no more than can be kept."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and 0 <= value < 2**53 else None


def _turn(message: Mapping[str, Any]) -> Turn:
    calls = message.get("tool_calls", message.get("toolCalls"))
    listed = calls if isinstance(calls, list) else []
    role = message.get("role")
    return Turn(
        role=role if isinstance(role, str) else "assistant",
        content=plain({"content": message.get("content")}),
        tool_calls=tuple(_call(each) for each in listed if isinstance(each, Mapping)),
    )


def _call(call: Mapping[str, Any]) -> ToolCall:
    """Of agentv's own shape, or with `function` as chat servers have it."""
    function = call.get("function")
    said = {**call, **function} if isinstance(function, Mapping) else call
    name = _first(said, TOOLS)
    return ToolCall(
        name=name if isinstance(name, str) else "",
        arguments=_first(said, ARGUMENTS),
        result=_first(said, RESULTS),
        duration_ms=number(_first(said, DURATIONS)),
    )


def _first(said: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((said[name] for name in names if said.get(name) is not None), None)
