"""One session of an export: the checks of the runtime that wrote it, in its own sentences."""

from collections.abc import Mapping
from typing import Any

from apps.datasets.formats.building import Problem

from .checking import Problems, texts
from .scenario import check_outcomes, check_rules, unknown_rules

STATUSES = frozenset(
    (
        "success",
        "denied",
        "failed",
        "approval_required",
        "waiting_for_approval",
        "blocked_on_reconciliation",
    )
)
MODES = frozenset(("platform_owned", "user_delegated", "human_approved"))
NEEDED = ("trace_id", "status", "user_input", "output_text")
FURTHER = (
    "failure_reason",
    "request_agent_id",
    "capability_session_id",
    "capability_session_status",
    "delegated_principal_id",
    "delegated_scope",
    "idempotency_key",
    "approval_id",
    "capability_name",
)

Row = Mapping[str, Any]


def problems_of(row: Row) -> Problems:
    """Everything wrong with a session and its runs."""
    problems: Problems = []
    session, runs = row.get("session"), row.get("runs")
    if isinstance(session, dict):
        _check_session(session, runs, problems)
    else:
        sentence = "session must be an object with session_id, tenant_id and principal_id."
        problems.append(Problem("invalid_field_type", sentence, "session", session))
    if isinstance(runs, list):
        for index, run in enumerate(runs):
            _check_run(run, f"runs[{index}]", problems)
    else:
        problems.append(Problem("invalid_field_type", "Session runs must be a sequence", "runs"))
    if "eval" in row:
        check_spec(row["eval"], "eval", problems)
    return problems


def warnings_of(row: Row) -> Problems:
    spec = row.get("eval") or {}
    return unknown_rules(spec.get("grading_rules", ()), "eval.grading_rules")


def check_spec(spec: Any, path: str, problems: Problems) -> None:
    """What a session is evaluated by."""
    if not isinstance(spec, dict):
        sentence = "Session eval spec must be a mapping"
        problems.append(Problem("invalid_field_type", sentence, path, spec))
        return
    _check_spec_keys(spec, path, problems)
    if "scenario" in spec:
        _text(spec, "scenario", path, problems, required=True)
    checks = {"labels": texts, "expected_outcomes": check_outcomes, "grading_rules": check_rules}
    for key, check in checks.items():
        if key in spec:
            check(spec[key], f"{path}.{key}", problems)


def _check_spec_keys(spec: Mapping[Any, Any], path: str, problems: Problems) -> None:
    seen: set[str] = set()
    for key in spec:
        if not isinstance(key, str):
            sentence = "Session eval spec key must be a string"
            problems.append(Problem("invalid_field_type", sentence, path, key))
        elif not key.strip():
            sentence = "Session eval spec key must not be empty"
            problems.append(Problem("invalid_field_value", sentence, path, key))
        elif key.strip() in seen:
            sentence = "Session eval spec keys must be unique"
            problems.append(Problem("duplicate_value", sentence, path, key))
        else:
            seen.add(key.strip())


def _check_session(session: Row, runs: Any, problems: Problems) -> None:
    denied = isinstance(runs, list) and any(
        isinstance(run, dict) and run.get("status") == "denied" for run in runs
    )
    _text(session, "session_id", "session", problems, required=True)
    for field in ("tenant_id", "principal_id"):
        _text(session, field, "session", problems, required=not denied)
    _check_entries(session.get("traces", []), problems)


def _check_entries(traces: Any, problems: Problems) -> None:
    """The trace ids that the session names."""
    path, seen = "session.traces", set()
    if not isinstance(traces, list):
        sentence = "Session field entries must be a sequence: trace_id"
        problems.append(Problem("invalid_field_type", sentence, path, traces))
        return
    for index, entry in enumerate(traces):
        _text({"trace_id": entry}, "trace_id", path, problems, required=True, at=f"[{index}]")
        if isinstance(entry, str) and entry.strip() in seen:
            sentence = "Session field entries must be unique: trace_id"
            problems.append(Problem("duplicate_value", sentence, f"{path}[{index}]", entry))
        elif isinstance(entry, str):
            seen.add(entry.strip())


def _check_run(run: Any, path: str, problems: Problems) -> None:
    if not isinstance(run, dict):
        sentence = "Session runs entries must be RunRecord"
        problems.append(Problem("invalid_field_type", sentence, path, run))
        return
    for field in NEEDED:
        _text(run, field, path, problems, required=True)
    for field in FURTHER:
        _text(run, field, path, problems, required=_is_needed(run, field))
    _one_of(run, "status", STATUSES, "Session status is not supported", path, problems)
    chosen = {"authorization_mode": run.get("authorization_mode", "platform_owned")}
    _text(chosen, "authorization_mode", path, problems, required=True)
    _one_of(
        chosen, "authorization_mode", MODES, "Authorization mode is not supported", path, problems
    )


def _one_of(
    row: Row, field: str, known: frozenset[str], words: str, path: str, problems: Problems
) -> None:
    value = row.get(field)
    if isinstance(value, str) and value.strip() and value.strip() not in known:
        sentence = f"{words}: {value.strip()[:80]}"
        problems.append(Problem("invalid_enum_value", sentence, f"{path}.{field}", value))


def _is_needed(run: Row, field: str) -> bool:
    if field == "failure_reason":
        return bool(run.get("status") == "failed")
    delegated = run.get("authorization_mode") == "user_delegated"
    return delegated and field in ("delegated_principal_id", "delegated_scope")


def _text(
    row: Row, field: str, path: str, problems: Problems, *, required: bool, at: str = ""
) -> None:
    place, value = f"{path}{at or '.' + field}", row.get(field, "")
    if not isinstance(value, str):
        sentence = f"Session field must be a string: {field}"
        problems.append(Problem("invalid_field_type", sentence, place, value))
    elif required and not value.strip():
        sentence = f"Session field is required: {field}"
        problems.append(Problem("missing_required_field", sentence, place))
