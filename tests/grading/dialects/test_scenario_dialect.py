"""Grading rules and expected outcomes of scenarios, as rules of ours."""

from typing import Any

import pytest

from apps.datasets.formats.scenarios import scenario
from apps.datasets.formats.scenarios.examples import EXAMPLES
from apps.grading.combining import OwnRules, in_force, own
from apps.grading.dialects.scenarios import TYPES, of_outcomes, of_rules
from apps.grading.rules import RULE_OF_TYPE, Rule
from apps.grading.rules.unexecutable import Unexecutable


def rules(*entries: dict[str, Any]) -> tuple[Rule, ...]:
    return own(OwnRules(rules=tuple(of_rules(entries))))


def outcomes(**expected: Any) -> dict[str, Rule]:
    return {rule.name: rule for rule in own(OwnRules(rules=tuple(of_outcomes(expected))))}


SETTINGS: dict[str, Any] = {
    "status_equals": ["failed", "denied"],
    "contains_substring": "tool_timeout",
    "max_tool_calls": 12,
    "failure_attribution_valid": "tool_adapter",
    "sandbox_profile_review": {"snapshot_policy": "never"},
    "duplicate_ticket_guard": {"max_ticket_side_effects": 1},
}


def test_the_types_are_those_that_an_import_knows() -> None:
    assert set(scenario.RULES) == TYPES
    assert set(RULE_OF_TYPE) >= TYPES


@pytest.mark.parametrize("kind", sorted(TYPES))
def test_every_type_is_read_as_the_file_writes_it(kind: str) -> None:
    entry = {"type": kind, "expected": SETTINGS.get(kind, True), "blocking": False}

    (rule,) = rules(entry)

    assert (rule.type, rule.blocking, rule.name) == (kind, False, f"{kind}_0")


@pytest.mark.parametrize("kind", ["process_score_present", "sandbox_profile_review"])
def test_false_asks_for_the_opposite(kind: str) -> None:
    (rule,) = rules({"type": kind, "expected": False, "blocking": True})

    assert not getattr(rule, "expected")  # noqa: B009 - not all rules have it


def test_an_unknown_type_is_kept_and_never_executed() -> None:
    (rule,) = rules({"type": "vibes_good", "expected": True, "blocking": True})

    assert isinstance(rule, Unexecutable)
    assert rule.why == "Scenarios know no rule of the type vibes_good."
    assert rule.blocking
    assert rule.said == {"type": "vibes_good", "expected": True, "blocking": True}


def test_a_setting_that_cannot_be_read_gives_no_score_either() -> None:
    (rule,) = rules({"type": "max_tool_calls", "expected": "a dozen", "blocking": True})

    assert isinstance(rule, Unexecutable)
    assert "expected" in rule.why


def test_every_outcome_that_an_import_knows_has_a_rule_of_its_name() -> None:
    values: dict[str, Any] = {
        "latest_status": "success",
        "required_output_substrings": ["refund"],
        "approval_status_counts": {"pending": 1},
    }
    truths = ("sandbox_profile_reviewed", "failed_run_traceable", "duplicate_ticket_eval_passed")
    values |= dict.fromkeys((*truths, "idempotency_key_required"), True)
    expected = {key: values.get(key, 1) for key in scenario.OUTCOMES}

    found = outcomes(**expected)

    assert list(found) == [f"expected_{key}" for key in scenario.OUTCOMES]
    assert not any(isinstance(rule, Unexecutable) for rule in found.values())
    assert all(rule.blocking for rule in found.values())


def test_expected_actions_are_calls_in_any_order_and_only_warn() -> None:
    actions = [{"name": "book", "kwargs": {"user": "mia"}}, "think"]

    rule = outcomes(expected_actions=actions)["expected_actions"]

    assert rule.type == "tool_trajectory"
    assert not rule.blocking
    said = rule.model_dump()
    assert said["mode"] == "superset"
    assert [(step["tool"], step["args"]) for step in said["expected"]] == [
        ("book", {"user": "mia"}),
        ("think", "any"),
    ]


def test_an_empty_list_expects_nothing_and_is_no_rule() -> None:
    assert outcomes(required_output_substrings=[], expected_actions=[]) == {}
    assert list(outcomes(approval_status_counts={})) == ["expected_approval_status_counts"]


def test_an_unknown_outcome_is_kept_and_never_executed() -> None:
    rule = outcomes(mood="good")["expected_mood"]

    assert isinstance(rule, Unexecutable)
    assert rule.why == "Scenarios know no expected outcome mood."
    assert rule.said == {"mood": "good"}


def test_a_rule_and_an_outcome_that_say_the_same_both_stand() -> None:
    entries = [
        *of_rules([{"type": "status_equals", "expected": "failed", "blocking": True}]),
        *of_outcomes({"latest_status": "failed"}),
    ]

    found = in_force(None, OwnRules(), OwnRules(rules=tuple(entries)))

    assert [rule.name for rule in found.rules] == ["status_equals_0", "expected_latest_status"]


def test_the_templates_own_scenarios_are_all_executable() -> None:
    for row in EXAMPLES:
        entries = [*of_rules(row.get("grading_rules", [])), *of_outcomes(row["expected_outcomes"])]

        found = own(OwnRules(rules=tuple(entries)))

        assert found
        assert not any(isinstance(rule, Unexecutable) for rule in found)
