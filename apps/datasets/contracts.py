"""What a format's reader yields, whatever the format."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from apps.contract import Contract


class Options(Contract):
    """How an upload is to be read, and what is to become of it.

    `mapping` says for a field of the format which column it is in; `valid_only` leaves out what
    has errors where a format takes all or nothing; `preview` reads so many records and keeps none;
    `main` is the path of the main file in a zip; `on` names the dataset version that annotations,
    scores or results belong to.
    """

    format: str = ""
    dataset_name: str = ""
    label: str = ""
    mapping: dict[str, str] = {}
    valid_only: bool = False
    preview: int = 0
    main: str = ""
    on: str = ""

    @property
    def kept(self) -> dict[str, Any]:
        return self.model_dump(exclude_defaults=True)


class Issue(Contract):
    """One thing wrong with one record (or, with index None, with the document)."""

    index: int | None
    record_id: str | None
    code: str
    message: str
    path: str
    severity: Literal["error", "warning"] = "error"
    line: int | None = None
    value: str = ""
    """The offending value as JSON, clipped for display; never part of the API's answer."""
    hint: str = ""
    """What to do about it, where the message does not say so itself."""


class Header(Contract):
    """What a document says of itself. A format without versions leaves `dataset_version` empty:
    then the dataset's next number is its label."""

    dataset_id: str
    dataset_version: str = ""
    schema_version: str = ""
    created_at: str | None = None
    metadata: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class AcceptedRecord:
    """A record that passed every check. `payload` is its JSON, `sha256` that of its canonical
    JSON; offsets are in bytes. `warnings` are told, and change nothing."""

    index: int
    record_id: str
    payload: bytes
    sha256: str
    input_sha256: str
    head: str
    facets: tuple[tuple[str, str], ...]
    offset: int
    length: int
    kind: str = "prompt"
    group: str = ""
    warnings: tuple[Issue, ...] = ()
    line: int | None = None


@dataclass(frozen=True, slots=True)
class RejectedRecord:
    """A record that failed: its listed issues (100 at most) and how many there were in all."""

    index: int
    record_id: str | None
    issues: tuple[Issue, ...]
    issue_count: int
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Document:
    """What a reader gives: a header, records to go through once, and then its warnings.

    Reading and going through the records raise Rejected when the document as a whole is refused.
    """

    header: Header
    records: Iterable[AcceptedRecord | RejectedRecord]
    warnings: list[str] = field(default_factory=list)
    """Sentences about the document; complete once the records have been gone through."""

    def __iter__(self) -> Iterator[AcceptedRecord | RejectedRecord]:
        return iter(self.records)


class Unfit(Exception):
    """A record that another format has no words for; the sentence names it and says why."""


class Rejected(Exception):
    """The whole document is refused: nothing of it is kept."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "invalid_request",
        status: int = 400,
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.details = details or {}


class ImportedScore(Contract):
    """A score that came with an answer, from 0 to 1. `method` is code or judge, `verifier` names
    who gave it."""

    family: str
    value: float = Field(ge=0, le=1, allow_inf_nan=False)
    method: str
    verifier: str
    reason: str = ""
