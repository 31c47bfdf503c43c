"""From lines to traces: the events of one trace, wherever they stand, are one record.

A payload keeps one event a line, so that a long trace can be gone through without parsing it whole.
"""

from collections.abc import Iterator

from apps.datasets.contracts import AcceptedRecord, Document, Header, Rejected, RejectedRecord
from apps.datasets.formats.base import Progress
from apps.datasets.formats.building import Problem, accept, clean, reject
from apps.datasets.formats.decoding import require_utf8
from apps.datasets.formats.lines import Line, json_lines
from apps.datasets.uploading.bundles import Bundle
from apps.datasets.uploading.limits import MAX_RECORDS

from . import events, logs
from .gathering import KIND, Gathered

Read = AcceptedRecord | RejectedRecord

MOST_LINES = 250_000
A_LIST = "Traces are lines of JSON: write each event, or each log, on a line of its own."


def read(bundle: Bundle, progress: Progress | None) -> Document:
    start = require_utf8(bundle.raw)
    if bytes(bundle.raw[start : start + 4096]).lstrip().startswith(b"["):
        raise Rejected(A_LIST)
    name = clean(bundle.stem).strip()[:128] or "traces"
    return Document(Header(dataset_id=name), _records(bundle, progress))


def _records(bundle: Bundle, progress: Progress | None) -> Iterator[Read]:
    """Logs and lines that belong to no trace as they come, then the traces of events."""
    gathered: dict[str, Gathered] = {}
    seen: dict[str, int] = {}
    count = 0
    for line in json_lines(bundle.raw, progress, most=MOST_LINES):
        record = _record(line, gathered, seen)
        count += record is not None
        if count + len(gathered) > MAX_RECORDS:
            raise Rejected(f"The file has more than {MAX_RECORDS:,} traces.")
        if record is not None:
            yield record
    if not count and not gathered:
        raise Rejected("The file has no traces.")
    for trace_id in list(gathered):
        yield gathered.pop(trace_id).record()


def _record(line: Line, gathered: dict[str, Gathered], seen: dict[str, int]) -> Read | None:
    """The record of a line that is one by itself; nothing for an event, which is gathered."""
    if not line.error and logs.is_log(line.value):
        return _log(line, seen, gathered)
    number = line.place.line or 0
    problems = events.problems_of(line.value)
    if line.error:
        sentence = f"Telemetry event line is not valid JSON: {number}"
        hint = f"{line.error} at column {line.column}."
        problems = [Problem("invalid_json", sentence, hint=hint)]
    trace_id = "" if line.error else events.trace_id_of(line.value)
    if not trace_id:
        return reject(line.place, None, problems)
    if seen.setdefault(trace_id, number) != number and trace_id not in gathered:
        return reject(line.place, trace_id, [_taken(trace_id, seen[trace_id])])
    if trace_id not in gathered:
        gathered[trace_id] = Gathered(trace_id, line.place, len(gathered))
    gathered[trace_id].add(line, problems)
    return None


def _log(line: Line, seen: dict[str, int], gathered: dict[str, Gathered]) -> Read:
    row, number = line.value, line.place.line or 0
    problems, trace_id = logs.problems_of(row), logs.trace_id_of(row)
    if trace_id and seen.setdefault(trace_id, number) != number:
        problems.append(_taken(trace_id, seen[trace_id]))
    if problems:
        return reject(line.place, trace_id or None, problems)
    first = next((each.get("content") for each in row["messages"] if each["role"] == "user"), "")
    return accept(
        line.place,
        record_id=trace_id,
        kind=KIND,
        row=row,
        head=first if isinstance(first, str) else "",
        group=str(row.get("scenario_id") or ""),
        warnings=logs.warnings_of(row),
    )


def _taken(trace_id: str, number: int) -> Problem:
    sentence = f"The trace {trace_id[:128]} is that of line {number:,} already."
    return Problem("duplicate_record_id", sentence, "trace_id", trace_id)
