"""Writing artifacts row by row: free text redacted, rows counted, the lease kept alive."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import orjson

from apps.artifacts import bundles, lines
from apps.artifacts.models import Bundle, Tier
from apps.artifacts.redaction import Redactor

BEAT_ROWS = 2_000
FREE_TEXT = (
    *("model_response", "turns", "detail", "message", "path", "reason", "raw"),
    *("failure_attribution", "verifier_evidence_refs"),
)
"""Where people and models write; ids, hashes, codes and moments are ours and stay whole."""
NESTED = ("evaluator_scores", "errors")

Row = dict[str, Any]
Beat = Callable[[], object]


class Writer:
    """Writes the artifacts of one bundle."""

    def __init__(self, bundle: Bundle, beat: Beat) -> None:
        self.redactor = Redactor(personal=True)
        self._bundle = bundle
        self._beat = beat

    def write(self, name: str, chunks: Iterable[bytes], *, by_row: bool = False) -> None:
        self.redactor.counts.clear()
        tier = Tier.SUMMARY if name.startswith("metrics_") else Tier.RAW
        counted = _Counted(chunks, self._beat)
        bundles.write_artifact(
            self._bundle,
            name,
            counted,
            tier=tier,
            rows=(lambda: counted.rows) if by_row else None,
            redactions=self.redactor.counts,
            supersede=True,
        )

    def write_rows(self, name: str, rows: Iterable[Row]) -> None:
        self.write(name, (lines.json_line(self._redacted(row)) for row in rows), by_row=True)

    def write_json(self, name: str, document: Callable[[], Row]) -> None:
        """The document is made while it is written: what is redacted in it counts."""
        self.write(name, self._pretty(document))

    def _pretty(self, document: Callable[[], Row]) -> Iterator[bytes]:
        yield orjson.dumps(document(), option=orjson.OPT_INDENT_2) + b"\n"

    def _redacted(self, row: Row) -> Row:
        for name in FREE_TEXT:
            if row.get(name):
                row[name] = self.redactor.value(row[name])
        for name in NESTED:
            if name in row:
                row[name] = [self._redacted(each) for each in row[name]]
        return row


class _Counted:
    """Counts the lines that pass and keeps the lease alive meanwhile, until all have passed."""

    def __init__(self, chunks: Iterable[bytes], beat: Beat) -> None:
        self._chunks = chunks
        self._beat = beat
        self.rows = 0

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self.rows += 1
            if self.rows % BEAT_ROWS == 0:
                self._beat()
            yield chunk
        self._beat()  # who lost the lease replaces nothing that its successor wrote


def moment(at: datetime | None) -> str | None:
    """UTC with a Z, as the contract writes moments."""
    return None if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")
