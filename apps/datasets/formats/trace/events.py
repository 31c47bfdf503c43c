"""One event of telemetry: the envelope 1.0, checked in the sentences of the runtime."""

from collections.abc import Mapping
from typing import Any

from apps.datasets.formats.building import Problem

VERSION = "1.0"
RUN_START = "run_start"
REQUIRED = ("event_type", "trace_id")
KEYS = frozenset(("schema_version", "event_type", "trace_id", "payload", "redacted_fields"))
CATALOG = (
    RUN_START,
    "policy_precheck",
    "retrieval",
    "context_layers_built",
    "tool_policy_decision",
    "tool_execution",
    "approval_requested",
    "sandbox_profile_reviewed",
    "memory_write_decision",
    "memory_persisted",
    "background_compaction",
    "background_update_scheduled",
    "run_failed",
    "governance_action",
    "run_complete",
    "span",
    "idempotency_decision",
    "effect_reconciliation_required",
    "trajectory_policy_decision",
    "capability_selected",
    "approval_resolved",
    "verification_result",
)
KNOWN = frozenset(CATALOG)

Event = Mapping[str, Any]
Problems = list[Problem]


def problems_of(event: Any) -> Problems:
    """Everything wrong with an event; nothing for one that is good."""
    if not isinstance(event, dict):
        return [_type("Telemetry event must be a mapping", "", event)]
    problems: Problems = []
    for field in REQUIRED:
        if field not in event:
            sentence = f"Telemetry event is missing required field: {field}"
            problems.append(Problem("missing_required_field", sentence, field))
    for field in (*REQUIRED, "schema_version"):
        if field in event:
            _check_text(event[field], field, problems)
    _check_version(event.get("schema_version", VERSION), problems)
    _check_payload(event.get("payload", {}), problems)
    _check_redacted(event.get("redacted_fields", []), problems)
    return problems


def trace_id_of(event: Any) -> str:
    """Empty where the event names none."""
    found = event.get("trace_id") if isinstance(event, dict) else None
    return found.strip() if isinstance(found, str) else ""


def missing_redacted(event: Event) -> list[str]:
    """The fields that are said to be redacted, and are not there."""
    payload = event.get("payload", {})
    return [field for field in event.get("redacted_fields", ()) if field.strip() not in payload]


def _check_text(value: Any, field: str, problems: Problems) -> None:
    if not isinstance(value, str):
        problems.append(_type(f"Telemetry event field must be a string: {field}", field, value))
    elif not value.strip():
        sentence = f"Telemetry event field must not be empty: {field}"
        problems.append(Problem("invalid_field_value", sentence, field))


def _check_version(version: Any, problems: Problems) -> None:
    if isinstance(version, str) and version.strip() not in ("", VERSION):
        sentence = f"Telemetry schema version is not supported: {version.strip()[:80]}"
        problems.append(Problem("unsupported_version", sentence, "schema_version", version))


def _check_payload(payload: Any, problems: Problems) -> None:
    if not isinstance(payload, dict):
        problems.append(_type("Telemetry event payload must be a mapping", "payload", payload))
        return
    seen: set[str] = set()
    for key, value in payload.items():
        _check_entry(key, value, seen, problems)


def _check_entry(key: Any, value: Any, seen: set[str], problems: Problems) -> None:
    if not isinstance(key, str):
        problems.append(_type("Telemetry event payload key must be a string", "payload", key))
        return
    name = key.strip()
    if not name:
        sentence = "Telemetry event payload key must not be empty"
        problems.append(Problem("invalid_field_value", sentence, "payload"))
    elif name in seen:
        sentence = "Telemetry event payload keys must be unique"
        problems.append(Problem("duplicate_value", sentence, f"payload.{name}"))
    elif not isinstance(value, str):
        sentence = f"Telemetry event payload value must be a string: {name[:80]}"
        problems.append(_type(sentence, f"payload.{name}", value))
    seen.add(name)


def _check_redacted(fields: Any, problems: Problems) -> None:
    path = "redacted_fields"
    if not isinstance(fields, list):
        problems.append(_type("Telemetry event redacted_fields must be a list", path, fields))
        return
    for index, field in enumerate(fields):
        place = f"{path}[{index}]"
        if not isinstance(field, str):
            sentence = "Telemetry event redacted_fields entries must be strings"
            problems.append(_type(sentence, place, field))
        elif not field.strip():
            sentence = "Telemetry redact field must not be empty"
            problems.append(Problem("invalid_field_value", sentence, place))


def _type(sentence: str, path: str, value: Any) -> Problem:
    return Problem("invalid_field_type", sentence, path, value)
