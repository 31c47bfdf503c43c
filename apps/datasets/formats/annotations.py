"""Annotations: what people said of query-response pairs, one label a row.

Three shapes are read: the package contracts' (`task_type`), a free one (`criterion`, labels of any
scale) and the annotation tool's export of one task (`per_task`).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from apps.datasets.bundles import Bundle
from apps.datasets.contracts import AcceptedRecord, Document, Header, RejectedRecord, Unfit

from . import cells, per_task
from .base import Progress, Purpose
from .building import Problem, accept, reject
from .csv_text import SCHEMA_VERSION
from .lines import loads
from .rows import (
    OUR_VERSION,
    Given,
    Rows,
    csv_lines,
    header_of,
    names_of,
    read_rows,
    require_columns,
)

Row = dict[str, Any]
Read = AcceptedRecord | RejectedRecord
Label = bool | str | None

KIND = "annotation"
FIELDS = ("id", "task_type", "label", "annotator_id", "annotated_at")
NEEDED = 4
TASKS = ("retrieval", "grounding", "relevance", "generation")
FURTHER = ("criterion", "chunk_id", "discard_reason", "notes", "metadata")
KNOWN = frozenset({*FIELDS, *FURTHER})
SAME = {"item_id": "id", "pair_id": "id", "timestamp": "annotated_at"}
TRUE, FALSE = frozenset({"true", "yes"}), frozenset({"false", "no"})
BINARY_HINT = "Use true or false; yes, no, 1 and 0 are read too."
NO_TIMES = "There is no column annotated_at: nothing says when the labels were given."
TEMPLATE = b"""\
id,task_type,label,annotator_id,annotated_at
returns-30-days,grounding,true,alice,2026-01-15T10:05:12Z
returns-30-days,relevance,true,alice,2026-01-15T10:05:30Z
parcel-lost,grounding,false,bob,2026-01-15T11:20:00Z
"""


class Annotations:
    id = "annotations"
    title = "Annotations of query-response pairs"
    hint = "CSV or JSON lines: labels that people gave, by pair, task and annotator."
    endings: tuple[str, ...] = (".csv", ".jsonl", ".json")
    media_types: tuple[str, ...] = ("text/csv", "application/x-ndjson", "application/json")
    template_name = "annotations.csv"
    template = TEMPLATE
    purpose: Purpose = "annotations"
    partial = False
    refers_to_files = False
    columns: tuple[str, ...] = FIELDS
    required_columns = NEEDED

    def detect(self, name: str, head: bytes) -> bool:
        names = {SAME.get(column, column) for column in names_of(name, head)}
        labels = {"id", "label"} <= names and bool(names & {"task_type", "criterion"})
        return labels or names >= per_task.MARKS

    def read(self, bundle: Bundle, *, progress: Progress | None = None) -> Document:
        rows = read_rows(bundle, progress)
        task = per_task.task_of(rows.columns)
        if not task:
            missing = missing_fields(rows.columns)
            require_columns(rows, FIELDS, missing, of="annotations")
        warnings: list[str] = []
        header = header_of(bundle, rows, warnings)
        if not task and not {"annotated_at", "timestamp"} & set(rows.columns):
            warnings.append(NO_TIMES)
        return Document(header, _records(rows, task), warnings)

    def write(self, header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]:
        return write(map(_row, payloads), schema_version=header.schema_version)

    def json_schema(self) -> dict[str, Any]:
        return SCHEMA


def write(
    rows: Iterable[Row], *, further: tuple[str, ...] = FURTHER, schema_version: str = ""
) -> Iterator[bytes]:
    """A CSV with the contract's columns, and with those of `further` that are asked for."""
    columns = (SCHEMA_VERSION, *FIELDS, *further)
    version = schema_version or OUR_VERSION
    yield from csv_lines(columns, ([version, *_cells(row, columns[1:])] for row in rows))


def missing_fields(columns: tuple[str, ...]) -> list[str]:
    has = {SAME.get(column, column) for column in columns}
    if "criterion" in has:
        has.add("task_type")
    return [field for field in FIELDS[:NEEDED] if field not in has]


def spelled(label: Label) -> str:
    """How a cell and a table say a label: true, false, or its text; empty for none."""
    if isinstance(label, bool):
        return "true" if label else "false"
    return label or ""


def _records(rows: Rows, task: str) -> Iterator[Read]:
    seen: dict[tuple[str, ...], int] = {}
    numbers = count()
    for given in rows.items:
        many = per_task.unfolded(given.fields, task) if task and not given.problem else None
        for fields in many if many is not None else [given.fields]:
            place = replace(given.place, index=next(numbers))
            yield _record(given._replace(place=place, fields=fields), seen)


def _record(given: Given, seen: dict[tuple[str, ...], int]) -> Read:
    problems = [given.problem] if given.problem else []
    row = {} if problems else _annotation(given.fields, problems)
    if problems:
        return reject(given.place, row.get("id") or None, problems)
    key = key_of(row)
    if key in seen:
        sentence = f"{_named(row)} is on line {seen[key]:,} already."
        return reject(given.place, row["id"], [Problem("duplicate_annotation", sentence, "id")])
    seen[key] = given.place.line or 0
    head = f"{row.get('criterion') or row['task_type']}: {spelled(row['label']) or 'discarded'}"
    return accept(given.place, record_id=cells.joined_id(*key), kind=KIND, row=row, head=head)


def key_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What there is one label of: pair, chunk, task, criterion, annotator."""
    names = ("id", "chunk_id", "task_type", "criterion", "annotator_id")
    return tuple(str(row.get(name, "")) for name in names)


def _named(row: Row) -> str:
    asked = row.get("criterion") or row.get("task_type")
    return f"The label of {row['annotator_id']} on {asked} of {row['id']}"


def _annotation(given: Mapping[str, Any], problems: cells.Problems) -> Row:
    fields = _renamed(given)
    row: Row = {"id": cells.name_text(fields, "id", problems, most=128)}
    if fields.get("task_type") or not fields.get("criterion"):
        row["task_type"] = _task(fields, problems)
    if fields.get("criterion"):
        row["criterion"] = cells.name_text(fields, "criterion", problems, most=80)
    reason = cells.name_text(fields, "discard_reason", problems, needed=False)
    row["label"] = None if reason else _label(fields, "task_type" in row, problems)
    row["annotator_id"] = cells.name_text(fields, "annotator_id", problems)
    row["annotated_at"] = cells.moment(fields, "annotated_at", problems)
    said = {
        "chunk_id": cells.name_text(fields, "chunk_id", problems, most=200, needed=False),
        "discard_reason": reason,
        "notes": cells.optional_text(fields, "notes", problems),
        "metadata": cells.further(fields, KNOWN),
    }
    return {**row, **{name: value for name, value in said.items() if value}}


def _renamed(given: Mapping[str, Any]) -> Row:
    fields = dict(given)
    for other, name in SAME.items():
        if other in fields and name not in fields:
            fields[name] = fields.pop(other)
    return fields


def _task(fields: Row, problems: cells.Problems) -> str:
    task = cells.name_text(fields, "task_type", problems, most=80)
    if task and task not in TASKS:
        sentence = f"task_type must be one of {', '.join(TASKS)}."
        hint = "Put labels of another kind under a column criterion instead."
        problems.append(Problem("invalid_enum_value", sentence, "task_type", task, hint))
    return task


def _label(fields: Row, binary: bool, problems: cells.Problems) -> Label:
    """Of a task true or false; of a free criterion any text, where 1 and 0 may be marks."""
    given = fields.get("label")
    if isinstance(given, bool):
        return given
    text = str(given) if isinstance(given, int | float) else given
    said = cells.name_text({"label": text}, "label", problems, most=1_000)
    plain = said.lower()
    if plain in TRUE or (binary and plain == "1"):
        return True
    if plain in FALSE or (binary and plain == "0"):
        return False
    if binary and said:
        sentence = "label must be true or false."
        problems.append(Problem("invalid_label", sentence, "label", said, BINARY_HINT))
    return said


def _row(payload: bytes) -> Row:
    record: Row = loads(payload)
    if record.get("kind") != KIND:
        raise Unfit(f"{record['record_id']} is no annotation: export its annotations instead.")
    row: Row = record["row"]
    return row


def _cells(row: Row, columns: Iterable[str]) -> Iterator[str]:
    for name in columns:
        value = row.get(name)
        yield cells.json_text(value) if name == "metadata" else spelled(value)


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
        "discard_reason": {"type": "string", "description": "Then there is no label."},
        "notes": {"type": "string"},
        "schema_version": {"type": "string"},
    },
}
