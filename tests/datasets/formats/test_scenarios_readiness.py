"""Nine questions about a version's scenarios: answered, and every no marked with what to do."""

from typing import Any

import pytest

from apps.accounts.models import User, Workspace
from apps.datasets.contracts import Options
from apps.datasets.formats.scenarios.examples import EXAMPLES
from apps.datasets.readiness import Answer, answers
from apps.datasets.surveying import readiness_of
from tests.datasets.documents import accepted
from tests.datasets.scenario_files import as_lines, scenario

SANDBOX = {
    "sandbox_profile_contract": "v1",
    "workspace_entries_reviewed": True,
    "permissions_profile": "shell",
    "network_secrets_posture": "none",
    "snapshot_policy": "kept",
}


def asked(*rows: dict[str, Any]) -> list[Answer]:
    return answers(
        {"record_id": row["scenario_id"], "kind": "scenario", "row": row} for row in rows
    )


def rule(kind: str, expected: Any = True) -> dict[str, Any]:
    return {"type": kind, "expected": expected, "blocking": True}


def test_a_bare_scenario_leaves_most_questions_open_with_what_to_do() -> None:
    found = asked(scenario(expected_outcomes={"required_output_substrings": ["a"]}))

    assert [answer.verdict for answer in found] == [
        "yes",
        "yes",
        "no",
        "no",
        "no",
        "no",
        "not asked",
        "no",
        "no",
    ]
    assert all(answer.advice for answer in found if answer.verdict == "no")
    assert not any(answer.advice for answer in found if answer.verdict != "no")


def test_partly_names_how_many_and_the_first_that_lack_it() -> None:
    rows = [scenario(number) for number in range(8)]
    rows[0]["grading_rules"] = [rule("approval_required")]

    answer = asked(*rows)[2]

    assert (answer.verdict, answer.met, answer.asked) == ("partly", 1, 8)
    assert answer.missing == ("refund-1", "refund-2", "refund-3", "refund-4", "refund-5")


@pytest.mark.parametrize(
    ("changes", "question", "verdict"),
    [
        ({"grading_rules": [rule("contains_substring", "a")]}, 2, "yes"),
        ({"expected_outcomes": {}}, 1, "no"),
        ({"expected_outcomes": {}, "grading_rules": [rule("contains_substring", "a")]}, 3, "no"),
        ({"grading_rules": [rule("memory_write_absent")]}, 3, "yes"),
        (
            {
                "verifier_outputs": {
                    "process_score": 0,
                    "outcome_score": 0,
                    "failure_attribution": "x",
                }
            },
            4,
            "yes",
        ),
        ({"verifier_outputs": [{"process_score": 1}]}, 4, "no"),
        ({"verifier_outputs": {"verifier_id": "v", "verifier_contract_version": "1"}}, 5, "yes"),
        ({"labels": ["sandboxed"]}, 6, "no"),
        ({"grading_rules": [rule("sandbox_profile_review")]}, 6, "no"),
        ({"grading_rules": [rule("sandbox_profile_review", SANDBOX)]}, 6, "yes"),
        ({"user_inputs": ["a", "b"]}, 7, "yes"),
        ({"dataset_version": "1"}, 8, "no"),
        ({"dataset_version": "1", "scenario_owner": "Alice"}, 8, "yes"),
    ],
)
def test_each_question_is_answered_from_the_record(
    changes: dict[str, Any], question: int, verdict: str
) -> None:
    assert asked(scenario(**changes))[question].verdict == verdict


def test_one_session_of_several_runs_is_enough() -> None:
    assert asked(scenario(1), scenario(2, user_inputs=["a", "b"]))[7].verdict == "yes"


def test_our_examples_answer_every_question_at_least_partly() -> None:
    assert "no" not in [answer.verdict for answer in asked(*EXAMPLES)]


def test_the_records_of_a_version_are_gone_through(workspace: Workspace, alice: User) -> None:
    raw = as_lines(*(scenario(number) for number in range(700)))
    version = accepted(workspace, raw, alice, options=Options(format="scenarios")).version
    assert version is not None

    found = readiness_of(version)

    assert len(found) == 9
    assert (found[0].verdict, found[0].met) == ("yes", 700)
