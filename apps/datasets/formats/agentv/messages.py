"""What a case asks and what it expects, as messages."""

from collections.abc import Sequence
from typing import Any

from apps.datasets.formats.agentv.attachments import Attached
from apps.datasets.formats.agentv.content import Files, in_place, spelled, text_of, value_of
from apps.datasets.formats.agentv.notes import Notes
from apps.datasets.formats.lines import NotJson, loads

ROLES = ("system", "user", "assistant", "tool")
Message = dict[str, Any]


def is_message(value: Any) -> bool:
    holds = isinstance(value, dict) and ("content" in value or "tool_calls" in value)
    return holds and isinstance(value.get("role"), str)


def as_messages(value: Any, path: str, notes: Notes) -> list[Message]:
    """The messages of an input: a text, an object, one message or several; notes what is none."""
    if isinstance(value, str):
        expanded = _messages_in(value)
        return expanded or [{"role": "user", "content": value}]
    if is_message(value):
        return _checked([value], path, notes)
    if isinstance(value, dict):
        return [{"role": "user", "content": value}]
    if isinstance(value, list):
        return _checked(value, path, notes)
    notes.wrong_type(path, "a string, an object or an array", value)
    return []


def as_expected(value: Any, path: str, notes: Notes) -> list[Message]:
    """The messages of an expected output; what is no message is an assistant's content."""
    if value is None or value in ("", []):
        return []
    if isinstance(value, str):
        return _messages_in(value) or [{"role": "assistant", "content": value}]
    if is_message(value):
        return _checked([value], path, notes)
    if isinstance(value, list) and all(map(is_message, value)):
        return _checked(value, path, notes)
    return [{"role": "assistant", "content": value}]


def required_array(value: Any, path: str, notes: Notes) -> list[Message]:
    """Of the first era, whose messages are always an array."""
    if not isinstance(value, list):
        notes.wrong_type(path, "an array", value)
        return []
    return _checked(value, path, notes)


def asked(messages: Sequence[Message], files: Files, path: str) -> tuple[list[Message], str]:
    """What the target is sent, and the question in one line of text.

    Files stand where they are referred to; instruction files come first, in the system's message.
    """
    sent, said, instructions = [], [], list[Attached]()
    for number, message in enumerate(messages):
        text = text_of(_content(message), files, f"{path}[{number}].content")
        instructions += text.instructions
        said += text.said
        sent.append({"role": message["role"], "content": text.joined})
    question = " ".join(part.strip() for part in said if part.strip())
    return _with_instructions(sent, instructions), question


def expected(messages: Sequence[Message], files: Files, path: str) -> list[Message]:
    """The messages with the texts of their files in their parts."""
    return [
        {**message, "content": _with_files(message["content"], files, f"{path}[{number}].content")}
        if isinstance(message.get("content"), list)
        else message
        for number, message in enumerate(messages)
    ]


def reference_answer(messages: Sequence[Message]) -> str:
    """The content of the last message: text as it is, parts joined, the rest as JSON."""
    if not messages:
        return ""
    content = messages[-1].get("content")
    if content is None:
        return spelled(messages[-1].get("tool_calls", ""))
    if isinstance(content, list) and content and all(map(_is_text, content)):
        return "\n\n".join(_part_text(part) for part in content)
    return spelled(content)


def plain(message: Message) -> str:
    """The text of a message without looking for files: those of parts are named."""
    content = _content(message)
    return "\n".join(map(_spelled_part, content)) if isinstance(content, list) else spelled(content)


def _spelled_part(part: Any) -> str:
    value = value_of(part) if isinstance(part, dict) and "type" in part else part
    return spelled(part if value is None else value)


def _messages_in(text: str) -> list[Message]:
    """The messages that a text spells out as a JSON array, if it does."""
    start = text.lstrip()[:1]
    if start != "[" or '"role"' not in text:
        return []
    try:
        found = loads(text)
    except (NotJson, RecursionError):
        return []
    fits = isinstance(found, list) and all(
        is_message(each) and each["role"] in ROLES for each in found
    )
    return found if fits else []


def _checked(values: list[Any], path: str, notes: Notes) -> list[Message]:
    if not values:
        message = f"Field '{path}' must have at least one message"
        notes.wrong("invalid_field_value", message, path)
    for number, value in enumerate(values):
        _check(value, f"{path}[{number}]", notes)
    return [value for value in values if is_message(value) and value["role"] in ROLES]


def _check(value: Any, path: str, notes: Notes) -> None:
    if not isinstance(value, dict):
        notes.wrong_type(path, "a message with role and content", value)
    elif not isinstance(value.get("role"), str):
        notes.wrong("missing_required_field", f"Missing required field: '{path}.role'", path)
    elif value["role"] not in ROLES:
        message = f"Field '{path}.role' must be one of {', '.join(ROLES)}"
        notes.wrong("invalid_enum_value", message, f"{path}.role", value["role"])
    elif not is_message(value):
        notes.wrong("missing_required_field", f"Missing required field: '{path}.content'", path)


def _content(message: Message) -> Any:
    content = message.get("content")
    if content is None:
        return spelled(message["tool_calls"]) if message.get("tool_calls") else ""
    return content


def _with_instructions(sent: list[Message], files: Sequence[Attached]) -> list[Message]:
    """The system's message, made where there is none, begins with the instruction files."""
    unique = dict.fromkeys(files)
    if not unique:
        return sent
    head = "\n\n".join(["Follow these instructions.", *map(in_place, unique)])
    if sent and sent[0]["role"] == "system":
        first = {"role": "system", "content": f"{head}\n\n{sent[0]['content']}"}
        return [first, *sent[1:]]
    return [{"role": "system", "content": head}, *sent]


def _with_files(parts: list[Any], files: Files, path: str) -> list[Any]:
    return [_with_file(part, files, f"{path}[{number}]") for number, part in enumerate(parts)]


def _with_file(part: Any, files: Files, path: str) -> Any:
    is_file = isinstance(part, dict) and part.get("type") == "file"
    reference = value_of(part) if is_file else None
    if not isinstance(reference, str):
        return part
    found = files.get(reference, path, "expected")
    return part if found is None else {"type": "file", "path": found.path, "text": found.text}


def _is_text(part: Any) -> bool:
    return isinstance(part, str) or (isinstance(part, dict) and isinstance(_text(part), str))


def _part_text(part: Any) -> str:
    return part if isinstance(part, str) else str(_text(part)).strip("\n")


def _text(part: dict[str, Any]) -> Any:
    """Of a text part its value, of a file the text that was read; nothing of one not found."""
    if part.get("type") == "file":
        return part.get("text", "")
    return part.get("value", part.get("text")) if part.get("type") == "text" else None
