"""From the rows of a file of pairs to records."""

from collections.abc import Iterator

from apps.artifacts.canonical import sha256_hex
from apps.datasets.contracts import AcceptedRecord, Document, RejectedRecord
from apps.datasets.formats.base import Progress
from apps.datasets.formats.building import (
    Facet,
    Problem,
    accept,
    length_facet,
    metadata_facets,
    reject,
)
from apps.datasets.formats.rows import Given, Rows, header_of, read_rows, require_columns
from apps.datasets.uploading.bundles import Bundle

from .chunks import Folded
from .pair import CHUNK_TEXT, FIELDS, Row, missing_fields, pair_of

KIND = "pair"
PASSAGES = ((0, "none"), (1, "1"), (3, "2-3"), (5, "4-5"), (10, "6-10"))

Read = AcceptedRecord | RejectedRecord


def read(bundle: Bundle, progress: Progress | None) -> Document:
    rows = read_rows(bundle, progress)
    require_columns(rows, FIELDS, missing_fields(rows.columns), of="query-response pairs")
    warnings: list[str] = []
    return Document(header_of(bundle, rows, warnings), _records(rows), warnings)


def _records(rows: Rows) -> Iterator[Read]:
    seen: dict[str, int] = {}
    for given, problems in _pairs(rows):
        yield _record(given, problems, seen)


def _pairs(rows: Rows) -> Iterator[tuple[Given, list[Problem]]]:
    if CHUNK_TEXT in rows.columns:
        yield from Folded(rows.items)
        return
    for given in rows.items:
        yield given, [given.problem] if given.problem else []


def _record(given: Given, problems: list[Problem], seen: dict[str, int]) -> Read:
    """The record of a pair; one that broke before its fields were known says only that."""
    row = pair_of(given.fields, problems) if not problems else {}
    record_id = str(row.get("id", ""))
    if record_id in seen and not problems:
        sentence = f"The id is that of {_where(seen[record_id])} already."
        problems.append(Problem("duplicate_record_id", sentence, "id", record_id))
    if problems:
        return reject(given.place, record_id or None, problems)
    seen[record_id] = given.place.line or 0
    return accept(
        given.place,
        record_id=record_id,
        kind=KIND,
        row=row,
        head=row["query"],
        facets=_facets(row),
        group=group_of(row["query"]),
    )


def group_of(query: str) -> str:
    """Answers of several systems to one query are no independent ones."""
    return sha256_hex(query.encode("utf-8", "replace"))[:16]


def _facets(row: Row) -> Iterator[Facet]:
    yield "source", row["source"]
    yield length_facet(row["query"])
    yield "context", passages(len(row["context"]))
    yield from metadata_facets(row.get("metadata", {}))


def passages(count: int) -> str:
    return next((name for most, name in PASSAGES if count <= most), "over 10")


def _where(line: int) -> str:
    return f"line {line:,}"
