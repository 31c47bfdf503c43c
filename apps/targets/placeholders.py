"""Request templates: JSON with `{{prompt}}` and `{{record.…}}`, filled without any code.

A placeholder may stand alone in a string, then it becomes the value with its type, or inside
longer text, then it becomes text. What was filled in is never read as a template again.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

import orjson

from .contracts import Ask, Message
from .paths import AbsentError, value_at

PLACEHOLDER = re.compile(r"\{\{\s*(.*?)\s*\}\}", re.DOTALL)
_RECORD = r"record(?:\.[\w-]+(?:\[\d+\])*)+"


class TemplateError(Exception):
    """A sentence: the template asks for something this record has not."""


def checked_template(template: Any) -> Any:
    """The template itself, or ValueError that names the first placeholder it cannot have."""
    if isinstance(template, dict):
        for key, value in template.items():
            if PLACEHOLDER.search(key):
                raise ValueError(f"placeholders belong in values, not in the key {key}")
            checked_template(value)
    if isinstance(template, list):
        for value in template:
            checked_template(value)
    if isinstance(template, str):
        _check_text(template)
    return template


def filled(template: Any, ask: Ask) -> Any:
    """A copy of the template with every placeholder replaced. Raises TemplateError."""
    if isinstance(template, dict):
        return {key: filled(value, ask) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(value, ask) for value in template]
    if isinstance(template, str):
        return _filled_text(template, ask)
    return template


def _filled_text(text: str, ask: Ask) -> Any:
    alone = PLACEHOLDER.fullmatch(text)
    if alone and "}}" not in alone[1]:
        return _value(alone[1], ask)
    return PLACEHOLDER.sub(lambda match: _as_text(_value(match[1], ask)), text)


def _value(name: str, ask: Ask) -> Any:
    if source := _SOURCES.get(name):
        return source(ask)
    try:
        return value_at(ask.record, name.removeprefix("record."))
    except AbsentError:
        raise TemplateError(
            f"The request template asks for {name}, which record {ask.record_id} has not."
        ) from None


_SOURCES: dict[str, Callable[[Ask], Any]] = {
    "prompt": lambda ask: ask.prompt,
    "system": lambda ask: ask.system,
    "messages": lambda ask: _spelled(ask.messages),
    "conversation": lambda ask: _spelled(ask.messages[:-1]),
    "session_id": lambda ask: ask.session_id,
    "turn": lambda ask: ask.turn + 1,
    "record_id": lambda ask: ask.record_id,
}
_KNOWN = re.compile("|".join([*_SOURCES, _RECORD]))


def _spelled(messages: Iterable[Message]) -> list[dict[str, str]]:
    return [message.model_dump() for message in messages]


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _check_text(text: str) -> None:
    for name in PLACEHOLDER.findall(text):
        if not _KNOWN.fullmatch(name):
            raise ValueError(
                f"unknown placeholder {{{{{name}}}}}: use {', '.join(_SOURCES)} or record. and a "
                "path"
            )


def example_record(template: Any) -> dict[str, Any]:
    """A record that has every field the template asks for, for a connection test."""
    record: dict[str, Any] = {}
    for name in PLACEHOLDER.findall(orjson.dumps(template).decode()):
        *parents, last = name.split(".")[1:] or [""]
        place = record
        for step in parents:
            place = place.setdefault(step, {})
        place[last] = "connection test"
    return record
