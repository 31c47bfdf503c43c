"""From a file to all that it holds: accepted records, rejected ones, or a refusal as a whole."""

import mmap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from apps.datasets import formats
from apps.datasets.contracts import AcceptedRecord, Header, Issue, Options, Rejected, RejectedRecord

from . import unpacking
from .bundles import NO_FILES, Bundle, Files
from .limits import MAX_DOCUMENT_BYTES
from .slicing import Slices

ALL_FAILED = "All records failed validation"
TOO_LARGE = "dataset upload exceeds 100MB"
MAX_BYTES = MAX_DOCUMENT_BYTES
HEAD_BYTES = 65_536
DEFAULT_FORMAT = "contract_v1"
AS_IS = Options()

Told = Callable[[int, int, int], None]
"""Told how many bytes of how many have been read, and how many records that was."""


class Kept(NamedTuple):
    """What is stored of an accepted record; the slices it belongs to are gathered apart."""

    ordinal: int
    record_id: str
    kind: str
    sha256: str
    input_sha256: str
    group: str
    head: str
    offset: int
    length: int
    payload: bytes


@dataclass(slots=True)
class Reading:
    """What a document turned out to hold."""

    dialect: formats.Format
    header: Header
    records: list[Kept] = field(default_factory=list)
    rejected: list[RejectedRecord] = field(default_factory=list)
    slices: Slices = field(default_factory=Slices)
    warnings: list[str] = field(default_factory=list)
    noted: list[Issue] = field(default_factory=list)
    """Warnings about single records."""
    lines: dict[int, int | None] = field(default_factory=dict)
    """Where the records stand that do not become a dataset's, by their ordinal."""
    not_seen: bool = False
    """Whether reading stopped early, because only a preview was wanted."""

    @property
    def format(self) -> str:
        return self.dialect.id

    @property
    def total(self) -> int:
        return len(self.records) + len(self.rejected)

    @property
    def counts(self) -> dict[str, Any]:
        """`issues` counts all errors, `codes` what is listed, warnings included."""
        codes = Counter(issue.code for issue in self.issues())
        return {
            "total": self.total,
            "accepted": len(self.records),
            "rejected": len(self.rejected),
            "issues": sum(record.issue_count for record in self.rejected),
            "warnings": len(self.noted),
            "codes": dict(codes.most_common()),
        }

    @property
    def records_sha256(self) -> str:
        return digest(record.sha256 for record in self.records)

    def issues(self) -> Iterator[Issue]:
        """What is listed: the errors in order, then the warnings."""
        for record in self.rejected:
            yield from record.issues
        yield from self.noted

    def keep(self, record: AcceptedRecord | RejectedRecord) -> None:
        if isinstance(record, RejectedRecord):
            self.rejected.append(record)
            return
        self.noted += record.warnings
        if self.dialect.purpose != "dataset":
            self.lines[record.index] = record.line
        self.slices.add(record.index, record.facets)
        self.records.append(
            Kept(
                record.index,
                record.record_id,
                record.kind,
                record.sha256,
                record.input_sha256,
                record.group,
                record.head,
                record.offset,
                record.length,
                # A copy of its exact size: what the JSON writer gives leaves gaps as large again.
                bytes(memoryview(record.payload)),
            )
        )

    def turn_down(self, reasons: Mapping[int, str], code: str) -> None:
        """Reject records that were good by themselves: why, by their ordinal."""
        for record in self.records:
            if record.ordinal in reasons:
                self.rejected.append(self._turned_down(record, reasons[record.ordinal], code))
        self.records = [each for each in self.records if each.ordinal not in reasons]
        self.rejected.sort(key=lambda record: record.index)

    def _turned_down(self, record: Kept, why: str, code: str) -> RejectedRecord:
        issue = Issue(
            index=record.ordinal,
            record_id=record.record_id,
            code=code,
            message=why,
            path="id",
            line=self.lines.get(record.ordinal),
        )
        return RejectedRecord(
            record.ordinal, record.record_id, (issue,), 1, record.offset, record.length
        )

    def refuse_if_unfit(self, *, valid_only: bool = False) -> None:
        """Raise Rejected when no record passed, or when one failed where all must pass."""
        details = {"rejected_records": len(self.rejected), "accepted_records": 0}
        if not self.total:
            raise Rejected("The file has no records: add some and upload it again.")
        if not self.records:
            raise Rejected(ALL_FAILED, details=details)
        if self.rejected and not self.dialect.partial and not valid_only:
            details = {"rejected_records": len(self.rejected), "valid_records": len(self.records)}
            raise Rejected(
                f"{len(self.rejected):,} of {self.total:,} records have errors, and "
                f"{self.dialect.title} is loaded whole or not at all. Correct them, or import "
                f"the {len(self.records):,} valid records and leave {len(self.rejected):,} out.",
                code="record_errors",
                details=details,
            )


def read_file(
    path: Path,
    *,
    name: str,
    files: Files = NO_FILES,
    options: Options = AS_IS,
    variables: dict[str, str] | None = None,
    progress: Told | None = None,
    dialect: formats.Format | None = None,
) -> Reading:
    """Read and check every record; raises Rejected for the document as a whole.

    `files` are those beside it. A zip or a .gz is unpacked first, within the same limits.
    `dialect` reads it, else the one of the options' format.
    """
    size = path.stat().st_size
    if size == 0:
        raise Rejected("The file is empty: upload a document with records.")
    if size > MAX_BYTES:
        raise Rejected(TOO_LARGE, code="payload_too_large", status=413)
    with (
        unpacking.unpacked(path, name, files, options) as found,
        found.file.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw,
    ):
        dialect = dialect or _format(found.name, raw[:HEAD_BYTES], options.format)
        bundle = Bundle(found.name, raw, found.files, options.mapping, variables or {})
        return _read(dialect, bundle, options.preview, progress)


def _read(dialect: formats.Format, bundle: Bundle, most: int, told: Told | None) -> Reading:
    """All records, or the first `most` of them where that is not 0."""
    kept: list[Reading] = []

    def progress(done: int, total: int) -> None:
        if told is not None:
            told(done, total, sum(reading.total for reading in kept))

    document = dialect.read(bundle, progress=progress)
    reading = Reading(dialect, document.header)
    kept.append(reading)
    records = iter(document)
    for record in islice(records, most) if most else records:
        reading.keep(record)
    reading.not_seen = bool(most) and next(records, None) is not None
    reading.warnings = [*document.warnings, *reading.slices.warnings]
    return reading


def digest(shas: Iterable[str]) -> str:
    """The hash of a version's records: over their hashes, one a line, in order."""
    return sha256("\n".join(shas).encode()).hexdigest()


def _format(name: str, head: bytes, wanted: str) -> formats.Format:
    if wanted:
        if wanted not in formats.FORMATS:
            known = ", ".join(formats.FORMATS)
            raise Rejected(f"{wanted} is not a dataset format: use one of {known}.")
        return formats.FORMATS[wanted]
    found = formats.detect(name, head)
    if found is not None:
        return found
    if Path(name).suffix.lower() in ("", ".json"):
        return formats.FORMATS[DEFAULT_FORMAT]  # whose reader says best what is wrong
    known = ", ".join(dialect.title for dialect in formats.FORMATS.values())
    raise Rejected(f"The format was not recognised. Choose the one it has: {known}.")
