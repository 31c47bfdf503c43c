"""Steps of a trace as people read them: messages with their tool calls, events with their fields.

Pure: what a model or a file said goes through here as text, and is escaped where it is shown.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from apps.datasets.formats.lines import NotJson, loads

SHOWN_FIELDS = 60
SHORT = 60
SHOWN_ANYWAY = frozenset(("trace_id", "scenario_id", "session_id", "status"))


@dataclass(frozen=True)
class Call:
    name: str
    arguments: str


@dataclass(frozen=True)
class Shown:
    """One step. `text` is what was said, `fields` the entries of an event's payload."""

    seq: int
    kind: str
    text: str = ""
    name: str = ""
    calls: tuple[Call, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    redacted: tuple[str, ...] = ()
    more: str = ""

    @property
    def says_nothing(self) -> bool:
        return not (self.text or self.calls)


@dataclass(frozen=True)
class Fact:
    name: str
    text: str

    @property
    def is_short(self) -> bool:
        return len(self.text) <= SHORT and "\n" not in self.text


Seen = Callable[[Any], Any]
"""What the workspace lets people see of a value."""


def message(seq: int, role: str, payload: str, seen: Seen) -> Shown:
    """A message of a log."""
    said = _object(payload, seen)
    calls = said.get("tool_calls") or ([said["function_call"]] if said.get("function_call") else ())
    known = ("role", "content", "tool_calls", "function_call", "name", "tool_call_id")
    more = {key: value for key, value in said.items() if key not in known and value is not None}
    return Shown(
        seq,
        role,
        text=_content(said.get("content")),
        name=str(said.get("name") or ""),
        calls=tuple(_call(each) for each in calls if isinstance(each, Mapping)),
        more=_pretty(more) if more else "",
    )


def event(seq: int, kind: str, payload: str, redacted: str, more: str, seen: Seen) -> Shown:
    """An event of telemetry."""
    fields = list(_object(payload, seen).items())
    return Shown(
        seq,
        kind,
        fields=tuple((key, _text(value)) for key, value in fields[:SHOWN_FIELDS]),
        redacted=tuple(map(str, json.loads(redacted))) if redacted else (),
        more=_pretty(_object(more, seen)) if more else "",
    )


def facts_of(about: str, seen: Seen) -> list[Fact]:
    """What a log says beside its messages and what its page shows anyway."""
    said = _object(about, seen)
    return [
        Fact(key, _text(value))
        for key, value in said.items()
        if key not in SHOWN_ANYWAY and value is not None
    ]


def _object(payload: str, seen: Seen) -> dict[str, Any]:
    value = seen(loads(payload)) if payload else {}
    return value if isinstance(value, dict) else {}


def _content(content: Any) -> str:
    """The text of a message; of one in parts the texts, and what else there is by its name."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(map(_part, content))


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return str(part["text"])
    kind = part.get("type", "part") if isinstance(part, Mapping) else "part"
    return f"[{kind}]"


def _call(call: Mapping[str, Any]) -> Call:
    function = call.get("function")
    named = function if isinstance(function, Mapping) else call
    arguments = named.get("arguments", named.get("kwargs", ""))
    return Call(_text(named.get("name") or "a tool without a name"), _arguments(arguments))


def _arguments(arguments: Any) -> str:
    """Indented where they are JSON, as they are where they are not."""
    if not isinstance(arguments, str):
        return _pretty(arguments) if arguments else ""
    try:
        return _pretty(loads(arguments)) if arguments else ""
    except NotJson:
        return arguments


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _pretty(value)


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
