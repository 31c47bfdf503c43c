"""The events of one trace, put together as they are found, wherever they stand in the file."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson

from apps.artifacts.canonical import canonical
from apps.datasets.contracts import AcceptedRecord, Issue, RejectedRecord
from apps.datasets.formats.building import CONTROL, Place, Problem, reject
from apps.datasets.formats.lines import Line
from apps.datasets.uploading.limits import LISTED_PER_RECORD, MAX_ID

from . import events

KIND = "trace"
MOST_NOTED = 20
UNKNOWN_HINT = f"The catalog has {', '.join(events.CATALOG)}."


@dataclass(slots=True)
class Gathered:
    """The events of one trace so far: as they are kept, and the hash of their canonical JSON."""

    trace_id: str
    place: Place
    index: int
    kept: bytearray = field(default_factory=bytearray)
    digest: Any = None
    issues: list[Issue] = field(default_factory=list)
    issue_count: int = 0
    noted: dict[str, Problem] = field(default_factory=dict)
    starts: int = 0

    def __post_init__(self) -> None:
        spelled = orjson.dumps(_storable(self.trace_id))
        self.kept += b'{"record_id":' + spelled + b',"kind":"trace","row":{"events":[\n'
        head = b'{"kind":"trace","record_id":' + spelled + b',"row":{"events":['
        self.digest = hashlib.sha256(head)
        if len(self.trace_id) > MAX_ID or CONTROL.search(self.trace_id):
            sentence = f"trace_id must be at most {MAX_ID} characters without control characters."
            self._refuse(self.place, [Problem("invalid_field_value", sentence, "trace_id")])

    def add(self, line: Line, problems: list[Problem]) -> None:
        if not problems:
            problems = self._take(line.value)
        if problems:
            self._refuse(line.place, problems)
            self.kept.clear()

    def record(self) -> AcceptedRecord | RejectedRecord:
        if self.issue_count:
            listed = tuple(self.issues)
            place, named = self.place, self.issues[0].record_id
            return RejectedRecord(
                self.index, named, listed, self.issue_count, place.offset, place.length
            )
        self.kept += b"\n]}}"
        self.digest.update(b"]}}")
        sha256 = self.digest.hexdigest()
        payload, self.kept = bytes(self.kept), bytearray()
        return AcceptedRecord(
            index=self.index,
            record_id=self.trace_id,
            payload=payload,
            sha256=sha256,
            input_sha256=sha256,
            head="",
            facets=(),
            offset=self.place.offset,
            length=self.place.length,
            kind=KIND,
            warnings=tuple(self._warnings()),
        )

    def _take(self, event: dict[str, Any]) -> list[Problem]:
        """Keep a good event, unless JSON cannot say it; past a bad one only look."""
        try:
            spelled = canonical(event)
        except ValueError as error:
            return [Problem("invalid_value", f"The event cannot be kept: {error}.")]
        if self.issue_count:
            return []
        between = b"," if self._has_events else b""
        self.digest.update(between + spelled)
        self.kept += (between + b"\n" if between else b"") + _in_order(event, spelled)
        self._note(event)
        return []

    @property
    def _has_events(self) -> bool:
        return not self.kept.endswith(b"[\n")

    def _note(self, event: dict[str, Any]) -> None:
        kind = event["event_type"].strip()
        self.starts += kind == events.RUN_START
        if len(self.noted) >= MOST_NOTED:
            return
        if kind not in events.KNOWN:
            sentence = f"The event type {kind[:80]} is not in the catalog: it is kept as it is."
            problem = Problem("unknown_event_type", sentence, "event_type", kind, UNKNOWN_HINT)
            self.noted.setdefault(f"type {kind}", problem)
        missing = events.missing_redacted(event)
        if missing:
            named = ", ".join(missing)[:200]
            sentence = f"Telemetry redact field is not present in events: {named}"
            self.noted.setdefault(named, Problem("missing_field", sentence, "redacted_fields"))

    def _warnings(self) -> Iterable[Issue]:
        noted = list(self.noted.values())
        if self.starts == 0:
            sentence = "Trace file does not contain a run_start event"
            noted.append(Problem("missing_event", sentence, "event_type"))
        if self.starts > 1:
            sentence = "Trace file contains multiple run_start events"
            noted.append(Problem("repeated_event", sentence, "event_type"))
        found = reject(self.place, self.trace_id, noted).issues
        return (issue.model_copy(update={"severity": "warning"}) for issue in found)

    def _refuse(self, place: Place, problems: list[Problem]) -> None:
        self.issue_count += len(problems)
        left = LISTED_PER_RECORD - len(self.issues)
        if left > 0:
            self.issues += reject(place, self.trace_id, problems[:left]).issues


def _in_order(event: dict[str, Any], spelled: bytes) -> bytes:
    try:
        return orjson.dumps(event)
    except TypeError:  # an integer of more than 64 bits
        return spelled


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
