"""The JSON Schema of one scenario."""

from typing import Any

from .scenario import RULES

_TEXT = {"type": "string", "minLength": 1}
_TEXTS = {"type": "array", "items": _TEXT}
_COUNT = {"type": "integer", "minimum": 0}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}

_RULE: dict[str, Any] = {
    "type": "object",
    "required": ["type", "expected", "blocking"],
    "properties": {
        "type": {**_TEXT, "examples": list(RULES)},
        "expected": {"description": "What the rule wants; its type depends on the rule."},
        "blocking": {"type": "boolean", "description": "False makes a failure a warning."},
    },
}

_VERIFIER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "verifier_id": _TEXT,
        "verifier_contract_version": _TEXT,
        "process_score": _SHARE,
        "outcome_score": _SHARE,
        "failure_attribution": _TEXT,
        "verifier_evidence_refs": _TEXTS,
    },
}

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Agent scenario",
    "type": "object",
    "required": ["scenario_id", "labels"],
    "anyOf": [
        {"required": ["user_inputs", "expected_outcomes", "risk_class"]},
        {"required": ["grading_rules"]},
        {"required": ["verifier_outputs"]},
    ],
    "properties": {
        "scenario_id": {**_TEXT, "maxLength": 128, "description": "Unique and stable."},
        "labels": {**_TEXTS, "description": "The class of the scenario, not its result."},
        "user_inputs": {**_TEXTS, "minItems": 1, "description": "What the user says, in turn."},
        "expected_outcomes": {
            "type": "object",
            "properties": {
                "latest_status": _TEXT,
                "required_output_substrings": _TEXTS,
                "required_run_count": _COUNT,
                "approval_wait_runs": _COUNT,
                "failed_runs": _COUNT,
                "approval_status_counts": {"type": "object", "additionalProperties": _COUNT},
                "max_ticket_side_effects": _COUNT,
            },
        },
        "risk_class": _TEXT,
        "grading_rules": {"type": "array", "items": _RULE},
        "verifier_outputs": {"anyOf": [_VERIFIER, {"type": "array", "items": _VERIFIER}]},
        "dataset_version": _TEXT,
        "scenario_owner": _TEXT,
        "source_trace_ids": _TEXTS,
        "grader_type": _TEXT,
        "blocking": {"type": "boolean"},
        "notes_for_review": {"type": "string"},
        "failure_attribution": _TEXT,
        "verifier_id": _TEXT,
        "verifier_contract_version": _TEXT,
        "verifier_evidence_refs": _TEXTS,
        "sandbox_profile_contract": _TEXT,
        "workspace_manifest_ref": _TEXT,
        "snapshot_policy": _TEXT,
    },
}
