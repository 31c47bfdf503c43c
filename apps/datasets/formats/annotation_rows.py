"""One annotation: its fields and their other names, its label, and what is wrong with it."""

from collections.abc import Mapping
from typing import Any

from . import cells
from .building import Problem
from .csv_text import SCHEMA_VERSION

Row = dict[str, Any]
Label = bool | str | None

FIELDS = ("id", "task_type", "label", "annotator_id", "annotated_at")
TASKS = ("retrieval", "grounding", "relevance", "generation")
FURTHER = (*("criterion", "chunk_id", "trial", "discard_reason", "notes", "begun_at", "metadata"),)
KNOWN = frozenset({*FIELDS, *FURTHER})
TOLD = frozenset(
    {
        *("counts", "history", "settlement", "breaches", "probability", "stratum"),
        *("calibration", "slices", "item", "pair_sha256", "run_id", "campaign_id"),
    }
)
"""What our lines say around a label: it is told, and not taken back."""

MOST_LABEL = 1_000
SAME = {
    "item_id": "id",
    "pair_id": "id",
    "item": "id",
    "annotator": "annotator_id",
    "timestamp": "annotated_at",
}
TRUE, FALSE = frozenset({"true", "yes"}), frozenset({"false", "no"})
OURS_SPELLED: dict[str, bool] = {"true": True, "false": False}
BINARY_HINT = "Use true or false; yes, no, 1 and 0 are read too."


def read_annotation(given: Mapping[str, Any], problems: cells.Problems) -> Row:
    fields = _renamed(given)
    ours = bool(fields.get(SCHEMA_VERSION))
    row: Row = {"id": cells.name_text(fields, "id", problems, most=128)}
    free = "criterion" in fields and "task_type" not in fields
    if fields.get("task_type") or not (free or fields.get("criterion")):
        row["task_type"] = _task(fields, ours, problems)
    if free or fields.get("criterion"):
        row["criterion"] = cells.name_text(fields, "criterion", problems, most=80)
    reason = cells.name_text(fields, "discard_reason", problems, needed=False)
    row["label"] = None if reason else _label(fields, row, ours, problems)
    row["annotator_id"] = cells.name_text(fields, "annotator_id", problems)
    row["annotated_at"] = cells.moment(fields, "annotated_at", problems)
    said = {
        "chunk_id": cells.name_text(fields, "chunk_id", problems, most=200, needed=False),
        "trial": _trial(fields, problems),
        "discard_reason": reason,
        "notes": cells.optional_text(fields, "notes", problems),
        "begun_at": cells.moment(fields, "begun_at", problems),
        "metadata": cells.further(fields, KNOWN | TOLD if ours else KNOWN),
    }
    return {**row, **{name: value for name, value in said.items() if value}}


def _renamed(given: Mapping[str, Any]) -> Row:
    fields = dict(given)
    for other, name in SAME.items():
        if other in fields and name not in fields:
            fields[name] = fields.pop(other)
    return fields


def _task(fields: Row, ours: bool, problems: cells.Problems) -> str:
    task = cells.name_text(fields, "task_type", problems, most=80)
    if task and task not in TASKS and not ours:
        sentence = f"task_type must be one of {', '.join(TASKS)}."
        hint = "Put labels of another kind under a column criterion instead."
        problems.append(Problem("invalid_enum_value", sentence, "task_type", task, hint))
    return task


def _label(fields: Row, row: Row, ours: bool, problems: cells.Problems) -> Label:
    """Of a task true or false; of a free criterion any text, where 1 and 0 may be marks."""
    whole = row.get("task_type") in TASKS and "criterion" not in row
    if ours and not whole:
        return _verbatim(fields, problems)
    given = fields.get("label")
    if isinstance(given, bool):
        return given
    text = str(given) if isinstance(given, int | float) else given
    said = cells.name_text({"label": text}, "label", problems, most=MOST_LABEL)
    plain, binary = said.lower(), "task_type" in row
    if plain in TRUE or (binary and plain == "1"):
        return True
    if plain in FALSE or (binary and plain == "0"):
        return False
    if binary and said:
        sentence = "label must be true or false."
        problems.append(Problem("invalid_label", sentence, "label", said, BINARY_HINT))
    return said


def _verbatim(fields: Row, problems: cells.Problems) -> Label:
    """A label that we wrote: words of people may have more than one line."""
    given = fields.get("label")
    if isinstance(given, bool):
        return given
    said = cells.required_text(fields, "label", problems)
    if len(said) > MOST_LABEL:
        sentence = f"label must be at most {MOST_LABEL:,} characters long, not {len(said):,}."
        problems.append(Problem("string_too_long", sentence, "label", said))
    return OURS_SPELLED.get(said, said)


def _trial(fields: Row, problems: cells.Problems) -> int:
    """Which of several answers to the record, from 0."""
    given = fields.get("trial")
    text = str(given) if isinstance(given, int) and not isinstance(given, bool) else given
    if text is None or text == "":
        return 0
    if isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) < 5:
        return int(text)
    sentence = "trial must be a whole number from 0."
    problems.append(Problem("value_out_of_range", sentence, "trial", given))
    return 0


def key_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What there is one label of: pair, chunk, task, criterion, annotator."""
    names = ("id", "trial", "chunk_id", "task_type", "criterion", "annotator_id")
    return tuple(str(row.get(name, "")) for name in names)


SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Annotation of a query-response pair",
    "type": "object",
    "required": ["id", "label", "annotator_id"],
    "anyOf": [{"required": ["task_type"]}, {"required": ["criterion"]}],
    "properties": {
        "id": {"type": "string", "minLength": 1, "maxLength": 128, "description": "The pair's."},
        "task_type": {"enum": list(TASKS)},
        "criterion": {"type": "string", "maxLength": 80, "description": "Of a free kind."},
        "label": {"type": ["boolean", "string", "number", "null"]},
        "annotator_id": {"type": "string", "minLength": 1, "maxLength": cells.LONGEST_NAME},
        "annotated_at": {"type": "string", "description": "ISO 8601 with a time zone, or empty."},
        "chunk_id": {"type": "string", "description": "Of a label on one chunk."},
        "trial": {"type": "integer", "description": "Which of several answers, from 0."},
        "discard_reason": {"type": "string", "description": "Then there is no label."},
        "notes": {"type": "string"},
        "begun_at": {"type": "string", "description": "When the person first answered."},
        "schema_version": {"type": "string"},
    },
}
