"""Rows of a table in CSV, JSON lines or one JSON array: fields, and where they stand."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Literal, NamedTuple

import orjson

from apps.datasets.contracts import Header, Rejected, Unfit
from apps.datasets.uploading.bundles import Bundle
from apps.datasets.uploading.limits import MAX_RECORD_BYTES, Source

from .base import Progress
from .building import Place, Problem, clean
from .contract_v1.items import Items
from .contract_v1.json_text import JsonText
from .csv_text import SCHEMA_VERSION, columns_of, guarded, read_table, renamed, unguarded
from .decoding import BOM, require_utf8
from .lines import NotJson, json_lines, loads

Spelling = Literal["csv", "jsonl", "json"]
Fields = dict[str, Any]

OUR_VERSION = "1.0"
KNOWN_VERSIONS = ("", "1", "1.0")
PEEKED = 20
MOST_COLUMNS = 200
"""Told to the person who maps them."""
REPORT_EVERY = 500
KEY = re.compile(rb'"([A-Za-z_]\w{0,60})"\s*:')
ROW_HINT = "Quote cells that hold commas, quotation marks or line breaks."


class Given(NamedTuple):
    """One row; `problem` says why it has no fields."""

    place: Place
    fields: Fields
    problem: Problem | None = None


class Rows(NamedTuple):
    """`columns` are the header of a CSV file, else the keys of the first rows."""

    spelling: Spelling
    columns: tuple[str, ...]
    schema_version: str
    items: Iterator[Given]


def read_rows(bundle: Bundle, progress: Progress | None = None) -> Rows:
    """The rows under the names that the mapping gives their columns; raises Rejected."""
    spelling = spelling_of(bundle.name, bytes(bundle.raw[:4096]))
    columns, found = READERS[spelling](bundle.raw, progress)
    first = list(islice(found, PEEKED))
    if not first:
        raise Rejected("The file has no rows.")
    columns = columns or tuple(dict.fromkeys(key for each in first for key in each.fields))
    for field, column in bundle.mapping.items():
        if column not in columns:
            raise _no_such_column(field, column, columns)
    version = first[0].fields.get(SCHEMA_VERSION)
    said = version if isinstance(version, str) else ""
    items = (_renamed(given, bundle.mapping) for given in chain(first, found))
    return Rows(spelling, _named(columns, bundle.mapping), said, items)


def spelling_of(name: str, head: bytes) -> Spelling:
    """By what the file begins with, and its name where that says nothing."""
    start = head.removeprefix(BOM).lstrip()[:1]
    if name.lower().endswith(".csv"):
        return "csv"
    if start == b"[":
        return "json"
    lines = start == b"{" or name.lower().endswith((".jsonl", ".ndjson", ".json"))
    return "jsonl" if lines else "csv"


def names_of(name: str, head: bytes) -> frozenset[str]:
    """The columns or keys that the beginning of a file names, for telling formats apart."""
    spelling = spelling_of(name, head)
    if spelling == "csv":
        return frozenset(column.strip() for column in columns_of(head))
    text = head.removeprefix(BOM).lstrip()
    first = text.split(b"\n", 1)[0] if spelling == "jsonl" else b""
    try:
        value = orjson.loads(first)
    except orjson.JSONDecodeError:
        return frozenset(key.decode() for key in KEY.findall(text))
    return frozenset(value) if isinstance(value, dict) else frozenset()


def require_columns(rows: Rows, fields: Sequence[str], missing: Sequence[str], *, of: str) -> None:
    """Raise Rejected where required fields are in no column; the person may say where they are."""
    if not missing:
        return
    columns = [clean(column)[:100] for column in rows.columns[:MOST_COLUMNS]]
    raise Rejected(
        f"The file has no column for {', '.join(missing)}, which {of} need. It has "
        f"{', '.join(columns[:20])}: say which column each field is in.",
        code="mapping_needed",
        details={"columns": columns, "fields": list(fields), "missing": list(missing)},
    )


def header_of(bundle: Bundle, rows: Rows, warnings: list[str]) -> Header:
    """What a file without a head of its own says of itself: its name, and its schema version."""
    if rows.schema_version not in KNOWN_VERSIONS:
        told = clean(rows.schema_version)[:40]
        warnings.append(f"schema_version {told} is not known: read as {OUR_VERSION}.")
    name = clean(bundle.stem).strip()[:128]
    return Header(dataset_id=name or "dataset", schema_version=clean(rows.schema_version)[:40])


def row_of(payload: bytes, kind: str) -> dict[str, Any]:
    """The row of a stored record of this kind; raises Unfit of another."""
    record: dict[str, Any] = loads(payload)
    if record.get("kind") != kind:
        raise Unfit(f"{record['record_id']} is no {kind}: export its {kind}s instead.")
    row: dict[str, Any] = record["row"]
    return row


def csv_lines(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[bytes]:
    """A CSV file line by line, safe to open in a spreadsheet."""
    line = _Line()
    writer = csv.writer(line, lineterminator="\r\n")
    for cells in chain([columns], rows):
        writer.writerow([guarded(cell) for cell in cells])
        yield line.text.encode()


class _Line:
    """What csv.writer writes to: it keeps the last line."""

    text = ""

    def write(self, text: str) -> None:
        self.text = text


def _csv(raw: Source, progress: Progress | None) -> tuple[tuple[str, ...], Iterator[Given]]:
    table = read_table(raw, progress)
    ours = SCHEMA_VERSION in table.columns
    items = (
        Given(
            row.place,
            {**(unguarded(row.cells) if ours else row.cells)},
            Problem("wrong_cell_count", row.error, hint=ROW_HINT) if row.error else None,
        )
        for row in table.rows
    )
    return table.columns, items


def _lines(raw: Source, progress: Progress | None) -> tuple[tuple[str, ...], Iterator[Given]]:
    return (), (
        _given(line.place, line.value, f"{line.error} at column {line.column}." * bool(line.error))
        for line in json_lines(raw, progress)
    )


def _array(raw: Source, progress: Progress | None) -> tuple[tuple[str, ...], Iterator[Given]]:
    return (), _array_items(raw, progress)


def _array_items(raw: Source, progress: Progress | None) -> Iterator[Given]:
    start = require_utf8(raw)
    text = JsonText(raw)
    at = text.skip_space(start) + 1
    if text.byte(text.skip_space(at)) == b"]":
        return
    found = Items(text, at)
    line, last = 1, 0
    for index, item in enumerate(found):
        line += bytes(raw[last : item.start]).count(b"\n")
        last = item.start
        yield _item(Place(index, item.start, item.length, line), item.text)
        if progress and index % REPORT_EVERY == 0:
            progress(item.start, len(raw))
    if bytes(raw[found.end :]).strip():
        text.refuse(text.skip_space(found.end), "nothing may follow the array")
    if progress:
        progress(len(raw), len(raw))


READERS: dict[
    Spelling, Callable[[Source, Progress | None], tuple[tuple[str, ...], Iterator[Given]]]
] = {"csv": _csv, "jsonl": _lines, "json": _array}


def _item(place: Place, text: bytes | None) -> Given:
    if text is None or len(text) > MAX_RECORD_BYTES:
        return _given(place, None, f"The record is longer than {MAX_RECORD_BYTES:,} bytes.")
    try:
        return _given(place, loads(text), "")
    except NotJson as error:
        return _given(place, None, f"{error}.")


def _given(place: Place, value: Any, error: str) -> Given:
    if error:
        return Given(place, {}, Problem("invalid_json", error))
    if not isinstance(value, dict):
        return Given(place, {}, Problem("invalid_field_type", "The record must be an object."))
    return Given(place, value)


def _renamed(given: Given, mapping: Mapping[str, str]) -> Given:
    return given._replace(fields={**renamed(given.fields, mapping)}) if mapping else given


def _named(columns: Sequence[str], mapping: Mapping[str, str]) -> tuple[str, ...]:
    """The columns by the names of the fields that they were said to be."""
    return tuple(renamed(dict.fromkeys(columns, ""), mapping))


def _no_such_column(field: str, column: str, columns: Sequence[str]) -> Rejected:
    told = [clean(each)[:100] for each in columns[:MOST_COLUMNS]]
    return Rejected(
        f"The file has no column {clean(column)[:100]}, which {field} was said to be in.",
        code="mapping_needed",
        details={"columns": told, "fields": [field], "missing": [field]},
    )
