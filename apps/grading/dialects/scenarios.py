"""Grading rules of agent scenarios, and their expected outcomes, as rules."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .naming import LONGEST_NAME, slug

Entry = dict[str, Any]

TYPES = frozenset(
    (
        "status_equals",
        "contains_substring",
        "max_tool_calls",
        "approval_required",
        "policy_violation_absent",
        "memory_write_absent",
        "process_score_present",
        "outcome_score_present",
        "failure_attribution_valid",
        "failed_run_traceable",
        "sandbox_profile_review",
        "duplicate_ticket_guard",
    )
)
"""Rules have the same name and settings here and in our words."""

COUNTS = (
    "total_runs",
    "success_runs",
    "approval_wait_runs",
    "denied_runs",
    "failed_runs",
    "traceable_failed_runs",
    "reconciliation_runs",
    "required_run_count",
    "approval_status_counts",
)
GUARDED = ("idempotency_key_required", "max_ticket_side_effects", "on_unknown_side_effect")
COMMON = ("name", "blocking", "required", "weight")
"""What counts of a rule that is never executed too."""
MOST_ACTIONS = 100


def knows(entry: Mapping[str, Any]) -> bool:
    """Never: their words are ours, and what has an unknown type in a contract is a mistake."""
    return False


def translated(entry: Mapping[str, Any]) -> Entry:
    return dict(entry)


def of_rules(entries: Sequence[Any]) -> list[Entry]:
    """The grading rules of a scenario or a session; one of an unknown type is never executed."""
    return [_of_rule(entry) for entry in entries if isinstance(entry, Mapping)]


def of_outcomes(expected: Mapping[str, Any], *, blocking: bool = True) -> list[Entry]:
    """One rule for each of the expected outcomes, named expected_<key>.

    An empty list or object of texts or actions expects nothing, and so is no rule: it would raise
    the score of every answer. `expected_actions` only warn: they are one way to the goal, and
    who wrote them compares what the agent left behind and not its calls.
    """
    found = []
    for key, value in expected.items():
        rule = _of_outcome(str(key), value)
        if rule is not None:
            found.append({"blocking": blocking, **rule, "name": _name(str(key))})
    return found


def _of_rule(entry: Mapping[str, Any]) -> Entry:
    kind = entry.get("type")
    if isinstance(kind, str) and kind in TYPES:
        return dict(entry)
    said = kind[:60] if isinstance(kind, str) else "without a name"
    common = {key: entry[key] for key in COMMON if entry.get(key) is not None}
    if isinstance(name := common.get("name"), str):
        common["name"] = slug(name)
    return {**_never(entry, f"Scenarios know no rule of the type {said}."), **common}


def _of_outcome(key: str, value: Any) -> Entry | None:
    """The rule for one outcome, without its name; None where it expects nothing."""
    if key in ("required_output_substrings", "expected_actions") and value in ([], ()):
        return None
    if key == "latest_status":
        return {"type": "status_equals", "expected": value}
    if key == "required_output_substrings":
        return {"type": "contains_substring", "expected": value}
    if key in COUNTS:
        return {"type": "session_outcome", "outcome": key, "expected": value}
    if key == "sandbox_profile_reviewed":
        return {"type": "sandbox_profile_review", "expected": value}
    if key == "failed_run_traceable":
        return {"type": key, "expected": value, "release_identity": False}
    if key == "duplicate_ticket_eval_passed":
        return {"type": "duplicate_ticket_guard", "expected": value}
    if key in GUARDED:
        return _guarded(key, value)
    if key == "expected_actions" and isinstance(value, list):
        return _trajectory(value)
    return _never({key: value}, f"Scenarios know no expected outcome {key[:60]}.")


def _guarded(key: str, value: Any) -> Entry | None:
    return None if value is False else {"type": "duplicate_ticket_guard", "expected": {key: value}}


def _trajectory(actions: Sequence[Any]) -> Entry:
    """The calls with their arguments, in any order; calls beside them are as good."""
    return {
        "type": "tool_trajectory",
        "mode": "superset",
        "expected": list(_calls(actions[:MOST_ACTIONS])),
        "blocking": False,
    }


def _calls(actions: Sequence[Any]) -> Iterator[Entry]:
    for action in actions:
        said = action if isinstance(action, Mapping) else {"name": action}
        tool = said.get("name", said.get("tool", ""))
        arguments = said.get("kwargs", said.get("arguments", said.get("args")))
        yield {"tool": tool, **({"args": arguments} if arguments is not None else {})}


def _never(said: Mapping[str, Any], why: str) -> Entry:
    return {"type": "unexecutable", "why": why, "said": dict(said)}


def _name(key: str) -> str:
    """expected_actions stays as it is."""
    outcome = re.sub(r"[^a-z0-9_-]+", "-", key.lower()).strip("-") or "outcome"
    return (outcome if outcome.startswith("expected_") else f"expected_{outcome}")[:LONGEST_NAME]
