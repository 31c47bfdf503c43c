"""Sessions of agents to hold rules against: their runs, traces and calls."""

from typing import Any

from pydantic import TypeAdapter

from apps.grading.contracts import Score, Subject
from apps.grading.rules import AnyRule
from apps.grading.subjects import SessionRun, ToolCall, TraceEvent, Turn, VerifierOutput


def graded(subject: Subject, type_: str, **settings: Any) -> Score:
    rule: Any = TypeAdapter(AnyRule).validate_python({"type": type_, "name": "it", **settings})
    score: Score = rule.grade(subject)
    return score


def session(*runs: SessionRun, **fields: Any) -> Subject:
    return Subject(session=runs, **fields)


def run(status: str = "success", **fields: Any) -> SessionRun:
    return SessionRun(status=status, **fields)


def event(kind: str, trace_id: str = "trace_123", **payload: Any) -> TraceEvent:
    return TraceEvent(event_type=kind, trace_id=trace_id, payload=payload)


def traced(*events: TraceEvent) -> Subject:
    return Subject(trace=events)


def called(*names: str) -> Subject:
    calls = tuple(ToolCall(name=name) for name in names)
    return Subject(turns=(Turn(role="assistant", tool_calls=calls),))


def outputs(**said: Any) -> Subject:
    return Subject(verifier_outputs=(VerifierOutput(**said),))


FAILED = run(
    "failed", failure_reason="tool_timeout", trace_id="trace_123", release_identity="desk-7"
)
