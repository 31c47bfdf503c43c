"""What may be wrong with a record or a header, as code, path and sentence."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NamedTuple

import orjson
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from apps.artifacts.canonical import canonical
from apps.datasets.formats.contract_v1 import limits, shape
from apps.datasets.formats.contract_v1.values import FORBIDDEN, Oddities, Path, deeper_than

PLAIN_KEY = re.compile(r"[A-Za-z0-9_\-]{1,100}")
CLIP = 200
CRITERIA = ("expected", "required_criteria")
ALLOWED = frozenset(shape.CRITERIA)
NO_CRITERION = ("invalid_enum_value", f"must be one of {', '.join(shape.CRITERIA)}")

# What pydantic calls a mistake: our code, and how the sentence goes on after the field's path.
MISTAKES = {
    "missing": ("missing_required_field", "is required"),
    "extra_forbidden": ("unsupported_field", "is not a field of this format"),
    "dict_type": ("invalid_field_type", "must be an object"),
    "list_type": ("invalid_field_type", "must be an array"),
    "string_type": ("invalid_field_type", "must be a string"),
    "int_type": ("invalid_field_type", "must be an integer"),
    "string_too_long": (
        "string_too_long",
        "must be at most {max_length:,} characters long, not {length:,}",
    ),
    "string_too_short": ("value_out_of_range", "must be at least {min_length:,} character long"),
    "too_long": ("value_out_of_range", "must have at most {max_length:,} items, not {length:,}"),
    "greater_than_equal": ("value_out_of_range", "must be at least {ge:,}"),
    "less_than_equal": ("value_out_of_range", "must be at most {le:,}"),
    "literal_error": ("invalid_enum_value", 'must be the string "1.0"'),
    "string_pattern_mismatch": ("value_out_of_range", "must {form}"),
}
FORMS = {
    "dataset_id": "have no characters but A-Z, a-z, 0-9, _, - and .",
    "created_at": "be an ISO 8601 time in UTC, such as 2026-01-15T10:05:12Z",
}


class Problem(NamedTuple):
    code: str
    path: Path
    sentence: str
    """How it goes on after the path: `must be a string`."""
    value: str
    """The offending value as JSON, clipped; empty where there is none."""

    @property
    def place(self) -> str:
        return shown(self.path)

    @property
    def message(self) -> str:
        return f"{self.place or 'the record'} {self.sentence}"


@dataclass(slots=True)
class Problems:
    """The first few problems of a record, and how many there are in all."""

    most: int
    listed: list[Problem] = field(default_factory=list)
    count: int = 0

    @property
    def room(self) -> int:
        return max(0, self.most - len(self.listed))

    def add(self, code: str, path: Path, sentence: str, *value: Any) -> None:
        self.count += 1
        if self.room:
            self.listed.append(Problem(code, path, sentence, clipped(*value)))


def check_record(record: Any, problems: Problems) -> None:
    """Add what is wrong with the fields of a record, its metadata's size and depth included."""
    if isinstance(record, dict):
        check_metadata(record.get("metadata"), limits.MAX_RECORD_METADATA_BYTES, problems)
        record = _without_crowds(record, problems)
    check_fields(shape.RECORD, record, problems)


def check_fields(validator: Any, fields: Any, problems: Problems) -> None:
    try:
        validator.validate_python(fields)
    except ValidationError as error:
        for mistake in error.errors(include_url=False):
            _add_mistake(mistake, problems)


def check_metadata(metadata: Any, most_bytes: int, problems: Problems) -> None:
    if not isinstance(metadata, dict):
        return
    size = size_of(metadata)
    if size > most_bytes:
        sentence = f"must be at most {most_bytes:,} bytes as compact JSON, not {size:,}"
        problems.add("record_too_large", ("metadata",), sentence)
    elif deeper_than(metadata, limits.MAX_METADATA_LEVELS):
        sentence = f"must be at most {limits.MAX_METADATA_LEVELS} levels deep"
        problems.add("value_out_of_range", ("metadata",), sentence, metadata)


def check_oddities(value: Any, problems: Problems) -> None:
    """Add forbidden characters and numbers that are not finite."""
    found = Oddities(value, problems.room)
    problems.count += found.count - len(found.listed)
    for path, leaf in found.listed:
        if isinstance(leaf, float):
            problems.add("value_out_of_range", path, "is too large a number: 1.8e308 is the limit")
            continue
        character = f"U+{ord(FORBIDDEN.findall(leaf)[0]):04X}"
        sentence = f"must not contain {_kind(character)} {character}"
        problems.add("invalid_encoding", path, sentence, leaf)


def size_of(value: Any) -> int:
    """Bytes of compact JSON, also of what has no canonical form."""
    try:
        return len(canonical(value))
    except ValueError:
        spelled = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return len(spelled.encode("utf-8", "surrogatepass"))


def shown(path: Sequence[str | int]) -> str:
    """A path as people and JSONPath write it: `tags[3]`, `metadata["two words"].depth`."""
    return "".join(map(_step, path)).removeprefix(".")


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if PLAIN_KEY.fullmatch(step):
        return f".{step}"
    clip = step if len(step) <= CLIP else step[: CLIP - 1] + "…"
    return f"[{json.dumps(clip, ensure_ascii=bool(FORBIDDEN.search(clip)))}]"


def clipped(*value: Any) -> str:
    """A value as JSON for display; without one, nothing."""
    if not value:
        return ""
    [shown_value] = value
    if isinstance(shown_value, str):
        shown_value = shown_value[: CLIP + 1]
    try:
        text = orjson.dumps(shown_value).decode()
    except TypeError:
        text = json.dumps(shown_value)
    return text if len(text) <= CLIP else text[: CLIP - 1] + "…"


def _kind(character: str) -> str:
    if character.startswith("U+D"):
        return "the unpaired surrogate"
    return "the noncharacter" if character.startswith("U+FF") else "the control character"


def _without_crowds(record: dict[str, Any], problems: Problems) -> dict[str, Any]:
    """Count what one record can hold by the hundred thousand, and leave it out: pydantic would list
    every one."""
    record = _known(record, shape.RECORD_FIELDS, (), problems)
    expected = record.get("expected")
    if not isinstance(expected, dict):
        return record
    expected = _known(expected, shape.EXPECTED_FIELDS, ("expected",), problems)
    criteria = expected.get("required_criteria")
    if isinstance(criteria, list):
        _check_criteria(criteria, problems)
        expected = {**expected, "required_criteria": []}
    return {**record, "expected": expected}


def _known(
    owner: dict[str, Any], fields: frozenset[str], path: Path, problems: Problems
) -> dict[str, Any]:
    if owner.keys() <= fields:
        return owner
    code, sentence = MISTAKES["extra_forbidden"]
    unknown = [key for key in owner if key not in fields]
    listed = unknown[: problems.room]
    problems.count += len(unknown) - len(listed)
    for key in listed:
        problems.add(code, (*path, key), sentence, owner[key])
    return {key: owner[key] for key in owner if key in fields}


def _check_criteria(criteria: list[Any], problems: Problems) -> None:
    wrong = [
        position
        for position, name in enumerate(criteria)
        if not isinstance(name, str) or name not in ALLOWED
    ]
    listed = wrong[: problems.room]
    problems.count += len(wrong) - len(listed)
    for position in listed:
        name = criteria[position]
        code, sentence = NO_CRITERION if isinstance(name, str) else MISTAKES["string_type"]
        problems.add(code, (*CRITERIA, position), sentence, name)


def _add_mistake(mistake: ErrorDetails, problems: Problems) -> None:
    kind, path, value = mistake["type"], mistake["loc"], mistake["input"]
    if kind == "string_unicode" or (isinstance(value, float) and not isfinite(value)):
        return  # said already, by check_oddities
    code, sentence = MISTAKES[kind]
    said = {
        **mistake.get("ctx", {}),
        "length": len(value) if isinstance(value, str | list) else 0,
        "form": FORMS.get(str(path[-1]) if path else "", ""),
    }
    problems.add(code, path, sentence.format(**said), *([] if kind == "missing" else [value]))
