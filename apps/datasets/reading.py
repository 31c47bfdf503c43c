"""From a file to all that it holds: accepted records, rejected ones, or a refusal as a whole."""

import mmap
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from . import formats
from .contracts import AcceptedRecord, Header, Rejected, RejectedRecord
from .formats.contract_v1.limits import MAX_DOCUMENT_BYTES
from .slicing import Slices

ALL_FAILED = "All records failed validation"
TOO_LARGE = "dataset upload exceeds 100MB"
MAX_BYTES = MAX_DOCUMENT_BYTES
HEAD_BYTES = 4096
DEFAULT_FORMAT = "contract_v1"

Progress = Callable[[int, int], None]


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

    format: str
    header: Header
    records: list[Kept] = field(default_factory=list)
    rejected: list[RejectedRecord] = field(default_factory=list)
    slices: Slices = field(default_factory=Slices)
    warnings: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return len(self.records) + len(self.rejected)

    @property
    def counts(self) -> dict[str, Any]:
        """`issues` counts all of them, `codes` those that are listed."""
        codes = Counter(issue.code for record in self.rejected for issue in record.issues)
        return {
            "total": self.total,
            "accepted": len(self.records),
            "rejected": len(self.rejected),
            "issues": sum(record.issue_count for record in self.rejected),
            "codes": dict(codes.most_common()),
        }

    @property
    def records_sha256(self) -> str:
        return digest(record.sha256 for record in self.records)

    def keep(self, record: AcceptedRecord | RejectedRecord) -> None:
        if isinstance(record, RejectedRecord):
            self.rejected.append(record)
            return
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

    def refuse_if_nothing_is_left(self) -> None:
        """The contract's answer when no record passed."""
        if not self.records:
            details = {"rejected_records": len(self.rejected), "accepted_records": 0}
            raise Rejected(ALL_FAILED, details=details)


def read_file(
    path: Path, *, name: str, format_id: str = "", progress: Progress | None = None
) -> Reading:
    """Read and check every record; raises Rejected for the document as a whole."""
    size = path.stat().st_size
    if size == 0:
        raise Rejected("The file is empty: upload a document with records.")
    if size > MAX_BYTES:
        raise Rejected(TOO_LARGE, code="payload_too_large", status=413)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        dialect = _format(name, raw[:HEAD_BYTES], format_id)
        document = dialect.read(raw, progress=progress)
        reading = Reading(dialect.id, document.header)
        for record in document:
            reading.keep(record)
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
    raise Rejected(
        "The format was not recognised: upload a JSON document of Dataset Contract v1, "
        "or name the format."
    )
