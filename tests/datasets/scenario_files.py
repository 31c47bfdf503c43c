"""Scenarios, sessions and events of ours, as files."""

import json
from typing import Any

from apps.datasets.contracts import AcceptedRecord, Document, Issue, RejectedRecord
from apps.datasets.formats.scenarios import Scenarios
from apps.datasets.formats.scenarios.summing import (
    REPEATED,
    Totals,
    latest_failure_reason,
    summary_of,
)
from apps.datasets.formats.trace import Trace
from apps.datasets.uploading.bundles import Bundle

SCENARIOS, TRACE = Scenarios(), Trace()
Read = AcceptedRecord | RejectedRecord


def scenario(number: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "scenario_id": f"refund-{number}",
        "labels": ["write_path"],
        "user_inputs": ["Refund my lamp."],
        "expected_outcomes": {"latest_status": "success"},
        "risk_class": "high",
        **changes,
    }


def without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in names}


def run(number: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "trace_id": f"run-{number}",
        "status": "success",
        "user_input": "Open a ticket.",
        "output_text": "The ticket is waiting for human approval.",
        "failure_reason": "",
        "request_agent_id": "desk",
        "capability_session_id": "c-1",
        "capability_session_status": "pending",
        "authorization_mode": "platform_owned",
        "delegated_principal_id": "",
        "delegated_scope": "",
        "idempotency_key": f"key-{number}",
        "approval_id": f"apr-{number}",
        "capability_name": "open_ticket",
        **changes,
    }


def session(*runs: dict[str, Any], name: str = "session-1", **changes: Any) -> dict[str, Any]:
    """A session that says of its runs what they give."""
    held = list(runs) or [run()]
    summary = summary_of(held)
    about = {"session_id": name, "tenant_id": "shop", "principal_id": "u-1"}
    return {
        "session": {**about, "traces": [each["trace_id"] for each in held]},
        "summary": summary,
        **{key: summary[key] for key in REPEATED if key != "latest_trace_id"},
        "latest_failure_reason": latest_failure_reason(held),
        "latest_trace_id": summary["latest_trace_id"],
        "runs": held,
        "eval": {"scenario": "tickets", "labels": ["ticketing"], "expected_outcomes": {}},
        **changes,
    }


def export(*sessions: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """An export whose head says what its sessions give."""
    held = list(sessions) or [session()]
    totals = Totals()
    for each in held:
        totals.add(each)
    computed = {each.path: each.computed for each in totals.mismatches(dict.fromkeys(_HEAD, ()))}
    return {"dataset_name": "desk", **{key: computed[key] for key in _HEAD}, **changes} | {
        "sessions": held
    }


def as_export(document: dict[str, Any]) -> bytes:
    """As the runtime spells it."""
    return (json.dumps(document, indent=2) + "\n").encode()


def as_lines(*rows: Any) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def event(kind: str = "run_start", trace_id: str = "t-1", **changes: Any) -> dict[str, Any]:
    return {
        "schema_version": "1.0",
        "event_type": kind,
        "trace_id": trace_id,
        "payload": {"session_id": "s-1"},
        "redacted_fields": [],
        **changes,
    }


def log(trace_id: str = "chat-1", **changes: Any) -> dict[str, Any]:
    said = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hello!"}]
    return {"trace_id": trace_id, "status": "success", "messages": said, **changes}


def read(dialect: Any, raw: bytes, name: str = "file.jsonl") -> tuple[Document, list[Read]]:
    document = dialect.read(Bundle(name, raw))
    return document, list(document)


def issues(raw: bytes, name: str = "file.jsonl", dialect: Any = SCENARIOS) -> list[Issue]:
    """The errors of every rejected record."""
    _, records = read(dialect, raw, name)
    return [each for one in records if isinstance(one, RejectedRecord) for each in one.issues]


def messages(raw: bytes, name: str = "file.jsonl", dialect: Any = SCENARIOS) -> list[str]:
    return [issue.message for issue in issues(raw, name, dialect)]


def warnings(raw: bytes, name: str = "file.jsonl", dialect: Any = SCENARIOS) -> list[Issue]:
    _, records = read(dialect, raw, name)
    return [each for one in records if isinstance(one, AcceptedRecord) for each in one.warnings]


def kept(raw: bytes, name: str = "file.jsonl", dialect: Any = SCENARIOS) -> list[AcceptedRecord]:
    _, records = read(dialect, raw, name)
    assert all(isinstance(record, AcceptedRecord) for record in records), records
    return [record for record in records if isinstance(record, AcceptedRecord)]


_HEAD = (
    "session_count",
    "session_ids",
    "run_count",
    "failed_runs",
    "traceable_failed_runs",
    "trace_ids",
    "failed_trace_ids",
    "idempotency_keys",
    "approval_ids",
    "approval_capability_names",
    "pending_approval_ids",
    "pending_approval_capability_names",
    "approval_status_counts",
    "latest_failure_reason",
    "duplicate_ticket_scenarios",
)
