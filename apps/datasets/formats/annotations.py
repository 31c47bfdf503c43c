"""Annotations: what people said of query-response pairs, one label a row.

Three shapes are read: the package contracts' (`task_type`), a free one (`criterion`, labels of any
scale) and the annotation tool's export of one task (`per_task`). What EvalHub itself has written
says so by its `schema_version`: its labels are taken word for word.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

from apps.datasets.contracts import AcceptedRecord, Document, Header, RejectedRecord
from apps.datasets.uploading.bundles import Bundle

from . import cells, per_task
from .annotation_rows import FIELDS, FURTHER, SAME, SCHEMA, Label, Row, key_of, read_annotation
from .base import Progress, Purpose
from .building import Problem, accept, reject
from .csv_text import SCHEMA_VERSION
from .rows import (
    OUR_VERSION,
    Given,
    Rows,
    csv_lines,
    header_of,
    names_of,
    read_rows,
    require_columns,
    row_of,
)

Read = AcceptedRecord | RejectedRecord

KIND = "annotation"
NEEDED = 4
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

    def __init__(self, *, criterion: str = "") -> None:
        """`criterion`: what was asked in a file that has no column for it."""
        self._criterion = criterion

    def detect(self, name: str, head: bytes) -> bool:
        names = {SAME.get(column, column) for column in names_of(name, head)}
        labels = {"id", "label"} <= names and bool(names & {"task_type", "criterion"})
        return labels or names >= per_task.MARKS

    def read(self, bundle: Bundle, *, progress: Progress | None = None) -> Document:
        rows = self._asked(read_rows(bundle, progress))
        shape = per_task.shape_of(rows.columns)
        if shape is None:
            missing = missing_fields(rows.columns)
            require_columns(rows, FIELDS, missing, of="annotations")
        warnings: list[str] = []
        header = header_of(bundle, rows, warnings)
        if shape is None and not {"annotated_at", "timestamp"} & set(rows.columns):
            warnings.append(NO_TIMES)
        return Document(header, _records(rows, shape), warnings)

    def _asked(self, rows: Rows) -> Rows:
        if not self._criterion or {"criterion", "task_type"} & set(rows.columns):
            return rows
        said = {"criterion": self._criterion}
        items = (each._replace(fields={**each.fields, **said}) for each in rows.items)
        return rows._replace(columns=(*rows.columns, *said), items=items)

    def write(self, header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]:
        rows = (row_of(payload, KIND) for payload in payloads)
        return write(rows, schema_version=header.schema_version)

    def json_schema(self) -> dict[str, Any]:
        return SCHEMA


def write(
    rows: Iterable[Row], *, further: tuple[str, ...] = FURTHER, schema_version: str = ""
) -> Iterator[bytes]:
    """A CSV with the contract's columns, and with those of `further` that are asked for."""
    version = {SCHEMA_VERSION: schema_version or OUR_VERSION}
    yield from write_columns(
        ({**row, **version} for row in rows), (SCHEMA_VERSION, *FIELDS, *further)
    )


def write_columns(rows: Iterable[Row], columns: tuple[str, ...]) -> Iterator[bytes]:
    """A CSV of these columns, a line at a time."""
    yield from csv_lines(columns, (list(_cells(row, columns)) for row in rows))


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


def _records(rows: Rows, shape: per_task.Shape | None) -> Iterator[Read]:
    seen: dict[tuple[str, ...], int] = {}
    numbers = count()
    for given in rows.items:
        many = per_task.unfolded(given.fields, shape) if shape and not given.problem else None
        for fields in many if many is not None else [given.fields]:
            place = replace(given.place, index=next(numbers))
            yield _record(given._replace(place=place, fields=fields), seen)


def _record(given: Given, seen: dict[tuple[str, ...], int]) -> Read:
    problems = [given.problem] if given.problem else []
    row = {} if problems else read_annotation(given.fields, problems)
    if problems:
        return reject(given.place, row.get("id") or None, problems)
    key = key_of(row)
    if key in seen:
        sentence = f"{_named(row)} is on line {seen[key]:,} already."
        return reject(given.place, row["id"], [Problem("duplicate_annotation", sentence, "id")])
    seen[key] = given.place.line or 0
    head = f"{row.get('criterion') or row['task_type']}: {spelled(row['label']) or 'discarded'}"
    return accept(given.place, record_id=cells.joined_id(*key), kind=KIND, row=row, head=head)


def _named(row: Row) -> str:
    asked = row.get("criterion") or row.get("task_type")
    return f"The label of {row['annotator_id']} on {asked} of {row['id']}"


def _cells(row: Row, columns: Iterable[str]) -> Iterator[str]:
    for name in columns:
        value = row.get(name)
        yield cells.json_text(value) if name in ("metadata", "trial") else spelled(value)
