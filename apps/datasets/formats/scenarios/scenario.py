"""One scenario: its fields, its grading rules, its verifier's outputs."""

from collections.abc import Mapping
from typing import Any

from apps.datasets.formats.building import Problem

from .checking import (
    Fields,
    Problems,
    a_count,
    a_share,
    a_text,
    a_truth,
    an_object,
    any_text,
    anything,
    check_fields,
    counts,
    one_of,
    require,
    some_texts,
    texts,
)

Row = Mapping[str, Any]

ASKED = ("user_inputs", "expected_outcomes", "risk_class")
"""Needed beside scenario_id and labels, unless the item is a grading contract alone."""

SANDBOX_KEYS = (
    "sandbox_profile_contract",
    "workspace_entries_reviewed",
    "permissions_profile",
    "network_secrets_posture",
    "snapshot_policy",
)

VERIFIER: Fields = {
    "verifier_id": a_text,
    "verifier_contract_version": a_text,
    "process_score": a_share,
    "outcome_score": a_share,
    "failure_attribution": a_text,
    "verifier_evidence_refs": texts,
    "verdict_id": a_text,
    "input_refs": texts,
    "blocking_decision": anything,
    "comparison_baseline": anything,
    "reviewer_override": anything,
}

OUTCOMES: Fields = {
    "latest_status": a_text,
    "required_output_substrings": texts,
    "approval_status_counts": counts,
    **dict.fromkeys(
        (
            "total_runs",
            "success_runs",
            "approval_wait_runs",
            "denied_runs",
            "failed_runs",
            "traceable_failed_runs",
            "reconciliation_runs",
            "required_run_count",
            "max_ticket_side_effects",
        ),
        a_count,
    ),
    **dict.fromkeys(
        (
            "sandbox_profile_reviewed",
            "failed_run_traceable",
            "duplicate_ticket_eval_passed",
            "idempotency_key_required",
        ),
        a_truth,
    ),
}

_TEXT_OR_TEXTS = one_of(a_text, some_texts, words="a text or a list of texts")
_TRUTH_OR_OBJECT = one_of(a_truth, an_object, words="true, false or an object")
_ATTRIBUTION = one_of(a_truth, a_text, some_texts, words="true, a text or a list of texts")

RULES: Fields = {
    "status_equals": _TEXT_OR_TEXTS,
    "contains_substring": _TEXT_OR_TEXTS,
    "max_tool_calls": a_count,
    "approval_required": a_truth,
    "policy_violation_absent": a_truth,
    "memory_write_absent": a_truth,
    "process_score_present": a_truth,
    "outcome_score_present": a_truth,
    "failure_attribution_valid": _ATTRIBUTION,
    "failed_run_traceable": a_truth,
    "sandbox_profile_review": _TRUTH_OR_OBJECT,
    "duplicate_ticket_guard": _TRUTH_OR_OBJECT,
}
"""What each type of rule expects."""


def check_outcomes(value: Any, path: str, problems: Problems) -> None:
    an_object(value, path, problems)
    if isinstance(value, dict):
        check_fields(value, OUTCOMES, f"{path}.", problems)


def check_rules(value: Any, path: str, problems: Problems) -> None:
    if not isinstance(value, list):
        sentence = f"{path} must be a list of rules."
        problems.append(Problem("invalid_field_type", sentence, path, value))
        return
    for index, rule in enumerate(value):
        _check_rule(rule, f"{path}[{index}]", problems)


def check_verifier(value: Any, path: str, problems: Problems) -> None:
    """One output, or a list of them."""
    several = isinstance(value, list)
    for index, output in enumerate(value if several else [value]):
        place = f"{path}[{index}]" if several else path
        an_object(output, place, problems)
        if isinstance(output, dict):
            check_fields(output, VERIFIER, f"{place}.", problems)


FIELDS: Fields = {
    "scenario_id": a_text,
    "labels": texts,
    "user_inputs": some_texts,
    "expected_outcomes": check_outcomes,
    "risk_class": a_text,
    "grading_rules": check_rules,
    "verifier_outputs": check_verifier,
    "dataset_version": a_text,
    "scenario_owner": a_text,
    "source_trace_ids": texts,
    "grader_type": a_text,
    "blocking": a_truth,
    "notes_for_review": any_text,
    "failure_attribution": a_text,
    "verifier_id": a_text,
    "verifier_contract_version": a_text,
    "verifier_evidence_refs": texts,
    "sandbox_profile_contract": a_text,
    "workspace_manifest_ref": a_text,
    "snapshot_policy": a_text,
}


def problems_of(row: Row) -> Problems:
    """Everything wrong with a scenario, what is missing first."""
    problems: Problems = []
    require(row, ("scenario_id", "labels"), "", problems)
    if not is_grading_contract(row):
        require(row, ASKED, "", problems)
    check_fields(row, FIELDS, "", problems)
    return problems


def warnings_of(row: Row) -> Problems:
    """What is kept all the same, and worth a look."""
    noted: Problems = []
    unknown = [key for key in row if key not in FIELDS]
    if unknown:
        named = ", ".join(key[:60] for key in unknown[:20])
        noted.append(Problem("unknown_field", f"Fields kept but not known: {named}.", unknown[0]))
    missing = [name for name in ASKED if name not in row]
    if missing:
        sentence = f"A grading contract alone: it has no {', '.join(missing)}."
        hint = "Add them before you run it: nobody can be asked without user_inputs."
        noted.append(Problem("nothing_to_ask", sentence, missing[0], hint=hint))
    return noted + unknown_rules(row.get("grading_rules", ()), "grading_rules")


def unknown_rules(rules: Any, path: str) -> Problems:
    return [
        Problem(
            "unknown_rule_type",
            f"The rule type {rule['type'][:60]} is not known: it is kept, and never judged.",
            f"{path}[{index}].type",
            rule["type"],
            hint=f"Known are {', '.join(RULES)}.",
        )
        for index, rule in enumerate(rules)
        if rule["type"] not in RULES
    ]


def is_grading_contract(row: Row) -> bool:
    """Rules or a verdict for a scenario that is asked elsewhere: the seed's own skeleton."""
    return "user_inputs" not in row and bool(
        row.get("grading_rules") or row.get("verifier_outputs")
    )


def _check_rule(rule: Any, path: str, problems: Problems) -> None:
    an_object(rule, path, problems)
    if not isinstance(rule, dict):
        return
    require(rule, ("type", "expected", "blocking"), f"{path}.", problems)
    check_fields(rule, {"type": a_text, "blocking": a_truth}, f"{path}.", problems)
    kind = rule.get("type")
    if isinstance(kind, str) and kind in RULES and "expected" in rule:
        RULES[kind](rule["expected"], f"{path}.expected", problems)
