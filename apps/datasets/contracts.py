"""What a format's reader yields, whatever the format."""

from dataclasses import dataclass
from typing import Any, Literal

from apps.contract import Contract


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


class Header(Contract):
    """What a document says of itself."""

    dataset_id: str
    dataset_version: str
    schema_version: str
    created_at: str | None = None
    metadata: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class AcceptedRecord:
    """A record that passed every check. `payload` is its canonical JSON; offsets are in bytes."""

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


@dataclass(frozen=True, slots=True)
class RejectedRecord:
    """A record that failed: its listed issues (100 at most) and how many there were in all."""

    index: int
    record_id: str | None
    issues: tuple[Issue, ...]
    issue_count: int
    offset: int
    length: int


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
