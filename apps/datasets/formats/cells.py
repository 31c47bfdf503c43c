"""Single values of a row, checked: each function adds what is wrong to the row's problems."""

import json
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from apps.artifacts.canonical import sha256_hex

from .building import CONTROL, Problem, clean
from .csv_text import SCHEMA_VERSION
from .lines import NotJson, loads

Fields = Mapping[str, Any]
Problems = list[Problem]

LONGEST_NAME = 120


def required_text(fields: Fields, name: str, problems: Problems) -> str:
    """A text that says something; whole numbers are taken for one."""
    value = fields.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if value.bit_length() < 400 else ""
    if value is None:
        problems.append(Problem("missing_required_field", f"{name} is required.", name))
    elif not isinstance(value, str):
        problems.append(Problem("invalid_field_type", f"{name} must be a text.", name, value))
    elif not value.strip():
        problems.append(Problem("empty_value", f"{name} must not be empty.", name))
    else:
        return value
    return ""


def optional_text(fields: Fields, name: str, problems: Problems) -> str:
    value = fields.get(name)
    if value is None or isinstance(value, str):
        return value or ""
    problems.append(Problem("invalid_field_type", f"{name} must be a text.", name, value))
    return ""


def name_text(
    fields: Fields, name: str, problems: Problems, *, most: int = LONGEST_NAME, needed: bool = True
) -> str:
    """A short text of one line, without spaces at its ends."""
    read = required_text if needed else optional_text
    text = read(fields, name, problems).strip()
    if len(text) > most:
        sentence = f"{name} must be at most {most} characters long, not {len(text):,}."
        problems.append(Problem("string_too_long", sentence, name, text))
    elif CONTROL.search(text):
        sentence = f"{name} must not have control characters."
        problems.append(Problem("invalid_field_value", sentence, name, text))
    return text


def texts(fields: Fields, name: str, problems: Problems) -> list[str]:
    """An array of texts, or JSON text of one; nothing said is none."""
    value = _json_value(fields.get(name), name, problems)
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(text, str) for text in value):
        return value
    sentence = f"{name} must be a JSON array of texts."
    problems.append(Problem("invalid_field_type", sentence, name, value, hint='Like ["a", "b"].'))
    return []


def objects(fields: Fields, name: str, problems: Problems) -> list[dict[str, Any]] | None:
    """An array of objects, or JSON text of one; None where nothing is said."""
    value = _json_value(fields.get(name), name, problems)
    if value is None:
        return None
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return value
    sentence = f"{name} must be a JSON array of objects."
    problems.append(Problem("invalid_field_type", sentence, name, value))
    return None


def moment(fields: Fields, name: str, problems: Problems) -> str:
    """A moment as it is written, with its time zone; empty where none is given."""
    text = optional_text(fields, name, problems).strip()
    if text and moment_of(text) is None:
        sentence = f"{name} must be a moment with its time zone, such as 2026-01-15T10:05:12Z."
        problems.append(Problem("invalid_date", sentence, name, text))
    return text


def moment_of(text: str) -> datetime | None:
    """The moment in UTC that a text names; None where it names none, or no time zone."""
    try:
        found = datetime.fromisoformat(text)
        return None if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def further(fields: Fields, known: Collection[str]) -> dict[str, Any]:
    """What no field of the format says, in one object; what `metadata` holds comes first."""
    said = fields.get("metadata")
    kept = dict(said) if isinstance(said, dict) else _object(said)
    for name, value in fields.items():
        empty = value is None or value == ""
        if name not in known and name not in ("metadata", SCHEMA_VERSION) and not empty:
            kept[name] = value
    return kept


def json_text(value: Any) -> str:
    """Compact JSON for a cell; empty for nothing."""
    if value is None or value in ({}, []):
        return ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def joined_id(*parts: str) -> str:
    """One name out of several, as short as an id must be."""
    whole = " / ".join(clean(part).strip() for part in parts if part)
    if len(whole) <= 128:
        return whole
    return f"{whole[:110].strip()}… {sha256_hex(whole.encode('utf-8', 'replace'))[:12]}"


def _object(text: Any) -> dict[str, Any]:
    """The object that a text spells; the text itself under its own name where it spells none."""
    if text is None or text == "":
        return {}
    try:
        value = loads(text) if isinstance(text, str) else text
    except NotJson:
        value = text
    return value if isinstance(value, dict) else {"metadata": text}


def _json_value(value: Any, name: str, problems: Problems) -> Any:
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    try:
        return loads(value)
    except NotJson as error:
        sentence = f"{name} must be a JSON array: {error} at character {error.at + 1}."
        problems.append(Problem("invalid_json", sentence, name, value))
        return None
