"""Messages and the tools that they call, in the shapes that are about."""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.grading.subjects import ToolCall, Turn

from .values import SubjectError, first_of, listed, mapping, said, text

ANSWERING = frozenset({"assistant", "tool", "function"})


def are_messages(value: Any) -> bool:
    """Whether this is a list of messages, with anything in it."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, Mapping) and "role" in each for each in value)
    )


def turns(value: Any, place: str) -> tuple[Turn, ...]:
    return tuple(_turn(each, f"{place}[{at}]") for at, each in enumerate(listed(value)))


def tool_calls(value: Any, place: str) -> tuple[ToolCall, ...]:
    """Calls as {name, arguments, result}, as chat servers write them, or as bare names."""
    return tuple(_call(each, f"{place}[{at}]") for at, each in enumerate(listed(value)))


def parted(messages: Sequence[Turn], *, answered: bool) -> tuple[list[Turn], list[Turn]]:
    """What was asked and what was answered: from the first word of the system on.

    `answered`: the answer is known otherwise. Then earlier turns belong to the question, unless
    tools were called in them, or they stand at the end.
    """
    first = _first(messages)
    if first is None:
        return list(messages), []
    if answered and not any(turn.tool_calls or turn.role == "tool" for turn in messages):
        last = max(
            (at for at, turn in enumerate(messages) if turn.role not in ANSWERING), default=-1
        )
        first = last + 1
    return list(messages[:first]), list(messages[first:])


def last_words(messages: Sequence[Turn]) -> str:
    """What the system said last; the texts of tools are not its words."""
    spoken = [turn.content for turn in messages if turn.role == "assistant"]
    return next((words for words in reversed(spoken) if words.strip()), "")


def content(value: Any, place: str) -> str:
    """The text of a message: as it is, or the texts of its parts."""
    if not isinstance(value, list):
        return text(value, place)
    return "\n".join(filter(None, (_part(each, place) for each in value)))


def _first(messages: Sequence[Turn]) -> int | None:
    return next((at for at, turn in enumerate(messages) if turn.role in ANSWERING), None)


def _turn(value: Any, place: str) -> Turn:
    if isinstance(value, str):
        return Turn(role="user", content=value)
    message = mapping(value, place)
    role = message.get("role")
    if not isinstance(role, str) or not role:
        raise SubjectError(f"{place}.role must be a text such as user, not {said(role)}.")
    _, calls = first_of(message, "tool_calls", "toolCalls")
    return Turn(
        role=role,
        content=content(message.get("content"), f"{place}.content"),
        tool_calls=tool_calls(calls, f"{place}.tool_calls"),
    )


def _call(value: Any, place: str) -> ToolCall:
    if isinstance(value, str):
        return ToolCall(name=value)
    call = mapping(value, place)
    inner = call.get("function")
    named = inner if isinstance(inner, Mapping) else call
    _, name = first_of(named, "name", "tool", "tool_name", "toolName")
    if not isinstance(name, str) or not name:
        raise SubjectError(f"{place}.name must be a text, not {said(name)}.")
    _, arguments = first_of(named, "arguments", "input", "args", "kwargs")
    _, result = first_of(call, "result", "output", "response")
    return ToolCall(name=name, arguments=arguments, result=result)


def _part(value: Any, place: str) -> str:
    if isinstance(value, Mapping):
        _, found = first_of(value, "text", "value", "content")
        return found if isinstance(found, str) else ""
    return text(value, place)
