"""From the lines of a file to its records."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from apps.datasets.contracts import AcceptedRecord, Document, Header, Rejected, RejectedRecord
from apps.datasets.formats.base import Progress
from apps.datasets.formats.building import (
    HEAD,
    Facet,
    Place,
    Problem,
    accept,
    clean,
    length_facet,
    metadata_facets,
    reject,
)
from apps.datasets.formats.csv_text import renamed
from apps.datasets.formats.decoding import BOM
from apps.datasets.formats.lines import Line, NotJson, json_lines, loads
from apps.datasets.prompting import legal
from apps.datasets.uploading.bundles import Bundle
from apps.datasets.uploading.limits import (
    LISTED_PER_DOCUMENT,
    LISTED_PER_RECORD,
    MAX_RECORD_BYTES,
    Source,
)

from .attaching import Attachments
from .checking import problems_of, warnings_of
from .shape import SCHEMA_VERSION

PEEKED = 1 << 16
MOST_METADATA_FACETS = 50
ARRAY = (
    "The file is one JSON array, and legal_eval_v1 is JSON Lines: write each record as an object "
    "on a line of its own, without the brackets and commas around them."
)
ONE_A_LINE = "Each line must be one whole JSON object."


def read(bundle: Bundle, progress: Progress | None) -> Document:
    """The document; raises Rejected for one JSON array, and for what is no UTF-8."""
    if _is_array(bundle.raw):
        raise Rejected(ARRAY)
    name = clean(bundle.stem).strip()[:128].strip() or "dataset"
    return Document(
        Header(dataset_id=name, schema_version=SCHEMA_VERSION), _records(bundle, progress)
    )


def _records(
    bundle: Bundle, progress: Progress | None
) -> Iterator[AcceptedRecord | RejectedRecord]:
    with Attachments(bundle) as attachments:
        reader = _Reader(bundle, attachments)
        for line in json_lines(bundle.raw, progress):
            yield reader.record(line)


class _Reader:
    """Reads line by line; knows which ids are taken and how much has been listed."""

    def __init__(self, bundle: Bundle, attachments: Attachments) -> None:
        self._mapping = dict(bundle.mapping)
        self._attachments = attachments
        self._taken: dict[str, int | None] = {}
        self._listed = 0

    def record(self, line: Line) -> AcceptedRecord | RejectedRecord:
        if line.error:
            return self._rejected(line.place, None, [_not_json(line)])
        row = line.value
        if self._mapping and isinstance(row, dict):
            row = renamed(row, self._mapping)
        problems = problems_of(row)
        record_id = row.get("id") if isinstance(row, dict) else None
        named = record_id if isinstance(record_id, str) else None
        if named in self._taken:
            problems.append(_duplicate(named, self._taken[named]))
        if problems or named is None:
            return self._rejected(line.place, named, problems)
        return self._accepted(line.place, named, row)

    def _accepted(
        self, place: Place, record_id: str, row: dict[str, Any]
    ) -> AcceptedRecord | RejectedRecord:
        warnings = warnings_of(row)
        resolved = {}
        if row.get("attachments"):
            found = self._attachments.of(row, place)
            resolved = {"attachments": found.entries}
            warnings += found.warnings
        record = accept(
            place,
            record_id=record_id,
            kind="legal",
            row=row,
            resolved=resolved,
            head=row["prompt"][:HEAD],
            facets=_facets(row),
            warnings=self._listed_of(warnings),
        )
        if isinstance(record, AcceptedRecord):
            self._taken[record_id] = place.line
        return record

    def _rejected(
        self, place: Place, record_id: str | None, problems: list[Problem]
    ) -> RejectedRecord:
        record = reject(place, record_id, self._listed_of(problems))
        return replace(record, issue_count=len(problems))

    def _listed_of(self, problems: list[Problem]) -> list[Problem]:
        """Those that are listed: the first one only, once enough has been of the document."""
        most = LISTED_PER_RECORD if self._listed < LISTED_PER_DOCUMENT else 1
        self._listed += len(problems[:most])
        return problems[:most]


def _facets(row: dict[str, Any]) -> Iterator[Facet]:
    yield "task_type", row["task_type"]
    yield "dataset", row["dataset"]
    yield "policy", legal.policy_of(row)
    yield from islice(metadata_facets(row.get("metadata", {})), MOST_METADATA_FACETS)
    yield length_facet(row["prompt"])


def _not_json(line: Line) -> Problem:
    if line.place.length > MAX_RECORD_BYTES:
        return Problem("record_too_large", f"{line.error}.", value="")
    sentence = f"JSON parse error: {line.error} (column {line.column})"
    return Problem("invalid_json", sentence, hint=ONE_A_LINE)


def _duplicate(record_id: str, line: int | None) -> Problem:
    return Problem(
        "duplicate_record_id",
        f"`id` is already used in line {line}.",
        "id",
        record_id,
        "Give each row an id of its own.",
    )


def _is_array(raw: Source) -> bool:
    """Whether the file is one array of records: its first line is not an array of its own."""
    head = bytes(raw[:PEEKED]).removeprefix(BOM).lstrip()
    if not head.startswith(b"["):
        return False
    start = raw.find(b"[")
    end = raw.find(b"\n", start)
    line = bytes(raw[start : end if end >= 0 else len(raw)][: MAX_RECORD_BYTES + 1])
    try:
        rows = loads(line)
    except NotJson:
        return True
    return bool(rows) and any(isinstance(row, dict) for row in rows)
