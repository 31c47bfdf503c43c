"""Writing a version and its records in one transaction, as fast as the driver allows."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from django.db import connection, models

from apps.datasets.contracts import Issue
from apps.datasets.models import DatasetVersion, Facet, FacetMember, Record, Upload, UploadIssue

from .reading import Kept
from .slicing import Slice

BATCH = 2_000
PARAMETERS = 900
"""In one statement: every SQLite takes as many."""

_RECORD_COLUMNS = ("version_id", *Kept._fields)
_ISSUE_COLUMNS = (
    "upload_id",
    "seq",
    "index",
    "line",
    "record_id",
    "code",
    "severity",
    "path",
    "message",
    "value",
    "hint",
)


def store_records(version: DatasetVersion, records: Iterable[Kept]) -> None:
    pk = version.pk
    rows = ((pk, *record[:-1], record.payload.decode()) for record in records)
    _insert(Record, _RECORD_COLUMNS, rows)


def store_slices(version: DatasetVersion, slices: Iterable[Slice]) -> None:
    kept = list(slices)
    facets = Facet.objects.bulk_create(
        [
            Facet(version=version, family=family, value=value, n=len(ordinals))
            for family, value, ordinals in kept
        ],
        batch_size=BATCH,
    )
    members = (
        (facet.pk, ordinal)
        for facet, found in zip(facets, kept, strict=True)
        for ordinal in found.ordinals
    )
    _insert(FacetMember, ("facet_id", "ordinal"), members)


def store_issues(upload: Upload, issues: Iterable[Issue]) -> None:
    rows = (_issue_row(upload.pk, seq, issue) for seq, issue in enumerate(issues))
    _insert(UploadIssue, _ISSUE_COLUMNS, rows)


def _issue_row(upload_id: str, seq: int, issue: Issue) -> tuple[Any, ...]:
    return (
        upload_id,
        seq,
        issue.index,
        issue.line,
        issue.record_id,
        issue.code,
        issue.severity,
        issue.path[:400],
        issue.message,
        issue.value,
        issue.hint,
    )


def _insert(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[tuple[Any, ...]]
) -> None:
    """COPY on PostgreSQL, many rows a statement on SQLite: bulk_create costs four times that."""
    quote = connection.ops.quote_name
    table = f"{quote(model._meta.db_table)} ({', '.join(map(quote, columns))})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        marks = f"({', '.join(['%s'] * len(columns))})"
        for batch in _batches(rows, PARAMETERS // len(columns)):
            values = ", ".join([marks] * len(batch))
            sql = f"INSERT INTO {table} VALUES {values}"  # noqa: S608 - our own names
            cursor.execute(sql, list(chain.from_iterable(batch)))


def _batches(rows: Iterable[tuple[Any, ...]], size: int) -> Iterator[list[tuple[Any, ...]]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, size)):
        yield batch
