"""Result rows of agentv: a case that was answered already."""

import json
from collections.abc import Mapping
from typing import Any

from apps.targets.contracts import Message

ANSWERS = ("output", "candidate_answer", "candidateAnswer", "answer")
REFERENCES = ("reference_answer", "referenceAnswer", "expected_output")


def messages(payload: Mapping[str, Any]) -> tuple[Message, ...]:
    return tuple(Message(**message) for message in payload["resolved"]["messages"])


def reference_of(payload: Mapping[str, Any]) -> str | None:
    return _first(payload["row"], REFERENCES)


def answer_of(payload: Mapping[str, Any]) -> str | None:
    """The text of the answer; of several messages that of the last that the assistant said."""
    return _first(payload["row"], ANSWERS)


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    texts = (_text(row[name]) for name in names if row.get(name) is not None)
    return next((text for text in texts if text), None)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        said = [each for each in value if each.get("role", "assistant") == "assistant"]
        content = next((each["content"] for each in reversed(said) if each.get("content")), None)
        if content is not None:
            return _parts(content)
    return json.dumps(value, ensure_ascii=False, indent=2)


def _parts(content: Any) -> str:
    """Text, or the texts of parts; anything else as JSON."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    values = [part.get("value", part.get("text")) for part in parts if isinstance(part, dict)]
    texts = [value for value in values if isinstance(value, str)]
    if parts and len(texts) == len(parts):
        return "\n".join(texts)
    return json.dumps(content, ensure_ascii=False, indent=2)
