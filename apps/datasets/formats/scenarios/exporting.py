"""The export as a whole: its head, what its sessions may not share, and writing it again."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.artifacts.canonical import canonical
from apps.datasets.contracts import Header, Rejected
from apps.datasets.formats.building import Problem, clean, clean_text

from .checking import Problems
from .session import check_spec
from .summing import COUNTS, LISTS

Row = Mapping[str, Any]

DEFAULT_NAME = "agent-runtime-ref-eval-seed"
HEAD = "head_as_it_came"
SESSIONS = "sessions"
SPECS = "eval_specs"
KEYS = (
    "dataset_name",
    "session_count",
    "session_ids",
    "run_count",
    *COUNTS,
    *LISTS,
    "approval_status_counts",
    "latest_failure_reason",
    "duplicate_ticket_scenarios",
    SESSIONS,
)


def header_of(around: Row) -> Header:
    """The fields around the sessions as metadata, and the head as text where their order says
    more than the usual one: a database may forget it."""
    metadata = kept({key: value for key, value in around.items() if key != SESSIONS})
    said = metadata.get("dataset_name", DEFAULT_NAME)
    name = printable(said) if isinstance(said, str) else ""
    head = json.dumps(around)
    if head != json.dumps(_in_usual_order(metadata)):
        metadata = {**metadata, HEAD: head}
    return Header(dataset_id=name or DEFAULT_NAME, metadata=metadata)


def kept(around: Row) -> dict[str, Any]:
    """What stands around the items; raises Rejected for what no database keeps."""
    try:
        spelled = canonical(dict(around))
    except ValueError as error:
        raise Rejected(f"What stands around the sessions cannot be kept: {error}.") from None
    if rb"\u0000" in spelled:
        raise Rejected("What stands around the sessions has a null character in it.")
    return dict(around)


def write(header: Header, rows: Iterable[Row]) -> Iterator[bytes]:
    """The export in pieces, as the runtime spells it: indented by two, ASCII alone."""
    metadata = {**header.metadata}
    head = metadata.pop(HEAD, None)
    fields = json.loads(head) if isinstance(head, str) else _in_usual_order(metadata)
    yield b"{\n"
    for index, (key, value) in enumerate(fields.items()):
        yield b"" if index == 0 else b",\n"
        yield f"  {json.dumps(key)}: ".encode()
        if key == SESSIONS:
            yield from _array(rows)
        else:
            yield _indented(value, 2)
    yield b"\n}\n"


def check_specs(around: Row) -> None:
    """Specs that stand beside the sessions; raises Rejected with all that is wrong with them."""
    if SPECS not in around:
        return
    specs, problems = around[SPECS], Problems()
    if not isinstance(specs, dict):
        raise Rejected("Session eval specs must be a mapping")
    for name, spec in specs.items():
        check_spec(spec, f"{SPECS}.{clean(str(name))[:100]}", problems)
    if problems:
        raise Rejected(problems[0].message, details={"errors": list(map(_told, problems[:100]))})


@dataclass
class Known:
    """What the sessions read so far have taken: their ids, and the traces of their runs."""

    sessions: dict[str, Row] = field(default_factory=dict)
    traces: set[str] = field(default_factory=set)

    def clashes(self, row: Row) -> Problems:
        problems = self._same_session(row["session"])
        mine: set[str] = set()
        for index, run in enumerate(row["runs"]):
            trace_id = run["trace_id"].strip()
            if trace_id in self.traces or trace_id in mine:
                sentence = f"Session trace_id already exists: {trace_id[:128]}"
                place = f"runs[{index}].trace_id"
                problems.append(Problem("duplicate_value", sentence, place, trace_id))
            mine.add(trace_id)
        return problems

    def add(self, row: Row) -> None:
        about = row["session"]
        self.sessions[about["session_id"].strip()] = about
        self.traces.update(run["trace_id"].strip() for run in row["runs"])

    def unknown_specs(self, around: Row) -> list[str]:
        specs = around.get(SPECS, {})
        return [f"Session not found: {name}" for name in specs if name.strip() not in self.sessions]

    def _same_session(self, about: Row) -> Problems:
        """Why a session cannot come a second time."""
        name = about["session_id"].strip()
        known = self.sessions.get(name)
        if known is None:
            return []
        for other in ("tenant_id", "principal_id"):
            if known.get(other, "") != about.get(other, ""):
                sentence = f"Session {other} does not match existing session: {name[:128]}"
                return [Problem("invalid_field_value", sentence, f"session.{other}")]
        sentence = "Session field entries must be unique: session_id"
        return [Problem("duplicate_record_id", sentence, "session.session_id", name)]


def printable(name: str) -> str:
    return "".join(char for char in name if char.isprintable()).strip()[:128].strip()


def _in_usual_order(metadata: Row) -> dict[str, Any]:
    """The fields of the export in its order, then others by name; counts by name too."""
    known = {key: metadata[key] for key in KEYS if key in metadata}
    others = {key: metadata[key] for key in sorted(metadata.keys() - known.keys())}
    ordered = {**known, SESSIONS: [], **others}
    return {key: _sorted(value) for key, value in ordered.items()}


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value


def _array(rows: Iterable[Row]) -> Iterator[bytes]:
    count = 0
    for count, row in enumerate(rows, start=1):
        yield b"[\n    " if count == 1 else b",\n    "
        yield _indented(row, 4)
    yield b"\n  ]" if count else b"[]"


def _indented(value: Any, by: int) -> bytes:
    """No line break of a text is in it: JSON escapes them."""
    return json.dumps(value, indent=2).replace("\n", "\n" + " " * by).encode()


def _told(problem: Problem) -> dict[str, str]:
    return {
        "code": problem.code,
        "message": clean_text(problem.message),
        "path": clean_text(problem.path),
    }


def compact(row: Row) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()
