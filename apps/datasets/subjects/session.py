"""Sessions of an agent runtime, as graders see them: their runs, and what they are judged by."""

from collections.abc import Mapping
from typing import Any

from apps.grading.subjects import SessionRun

from .agents import rules_of, verifier_outputs_of
from .given import Given, asked

Row = Mapping[str, Any]


def given(payload: Mapping[str, Any]) -> Given:
    row = payload["row"]
    spec = row.get("eval") or {}
    fields = asked(payload) | {
        "labels": tuple(spec.get("labels", ())),
        "verifier_outputs": (*verifier_outputs_of(row), *verifier_outputs_of(spec)),
    }
    return Given(fields=fields, record=rules_of(spec))


def answered(payload: Mapping[str, Any]) -> dict[str, Any]:
    """What the agent did in the session that came along: the runs, as exports of any age say."""
    row = payload["row"]
    release = _text(row, "release_identity") or _text(row.get("session") or {}, "release_identity")
    return {"session": tuple(_run(run, release) for run in row.get("runs", ()))}


def _run(run: Row, release: str) -> SessionRun:
    return SessionRun(
        user_input=_text(run, "user_input"),
        output_text=_text(run, "output_text"),
        status=_text(run, "status").strip(),
        failure_reason=_text(run, "failure_reason"),
        trace_id=_text(run, "trace_id").strip(),
        release_identity=_text(run, "release_identity") or release,
        approval_id=_text(run, "approval_id").strip(),
        approval_status=_text(run, "capability_session_status").strip(),
        capability_name=_text(run, "capability_name").strip(),
        idempotency_key=_text(run, "idempotency_key").strip(),
        side_effect_status=_text(run, "side_effect_status").strip(),
    )


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""
