"""What was found out about a manifest."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

UNREADABLE = frozenset(
    (
        "root_not_found",
        "invalid_root",
        "manifest_not_found",
        "manifest_outside_root",
        "manifest_unreadable",
        "invalid_yaml",
    )
)
"""With one of these nothing of the manifest could be looked at."""


class Diagnostic(NamedTuple):
    """One fault; `location` is a field of the manifest, or says what cannot be read."""

    code: str
    location: str
    message: str


@dataclass
class Checked:
    """What a manifest says, as far as it is right, and what is wrong with it."""

    issuer: str = ""
    subject: str = ""
    measured_at: datetime | None = None
    signals: dict[str, Any] = field(default_factory=dict)
    sha256: str = ""
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def is_readable(self) -> bool:
        return not any(each.code in UNREADABLE for each in self.diagnostics)

    def fault(self, code: str, location: str, message: str) -> None:
        self.diagnostics.append(Diagnostic(code, location, message))


class Fault(Exception):
    def __init__(self, code: str, location: str, message: str) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code, location, message)
