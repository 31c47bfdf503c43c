"""Result rows of agentv in, their scores, and feedback out."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from apps.datasets.contracts import ImportedScore
from apps.datasets.formats.agentv import result_scores
from apps.datasets.formats.agentv.feedback import CaseFeedback, feedback_json
from apps.datasets.prompting import answer_of, messages
from tests.datasets.agentv import accepted, case, issues, lines, opened, resolved, warnings

OLD = {
    "timestamp": "2026-01-03T12:07:10.957Z",
    "eval_id": "lamp",
    "dataset": "support",
    "conversation_id": "c1",
    "score": 0.5,
    "hits": ["Says hello"],
    "misses": ["Is short"],
    "candidate_answer": "Hello, and welcome to our shop.",
    "target": "gpt",
    "reasoning": "Kind, but long.",
    "lm_provider_request": {"chat_prompt": [{"role": "user", "content": "Hello?"}]},
    "evaluator_results": [
        {
            "name": "kind",
            "type": "llm_judge",
            "score": 1,
            "weight": 1,
            "verdict": "pass",
            "hits": ["Says hello"],
            "misses": [],
        },
        {
            "name": "short",
            "type": "code_judge",
            "score": 0,
            "weight": 1,
            "verdict": "fail",
            "hits": [],
            "misses": ["Is short"],
            "reasoning": "31 characters",
        },
    ],
}
NEW = {
    "test_id": "lamp",
    "suite": "support",
    "score": 0.75,
    "target": "gpt",
    "execution_status": "ok",
    "input": [{"role": "user", "content": "Hello?"}],
    "output": [{"role": "assistant", "content": "Hello."}],
    "assertions": [{"text": "Says hello", "passed": True}, {"text": "Short", "passed": False}],
    "scores": [{"name": "rubrics", "type": "llm-grader", "score": 0.75}],
}
NEWEST = {
    "test_id": "lamp",
    "score": 1,
    "pass": True,
    "reason": "All checks passed",
    "component_results": [
        {"pass": True, "score": 1, "reason": "kind", "assertion": {"type": "llm-rubric"}},
        {"pass": True, "score": 1, "assertion": {"type": "contains", "metric": "hello"}},
    ],
}


@pytest.mark.parametrize(
    ("row", "era", "answer", "asked"),
    [
        (OLD, "to 2.5", "Hello, and welcome to our shop.", "Hello?"),
        (NEW, "2.7 to 4.x", "Hello.", "Hello?"),
        (NEWEST, "5.x", None, "The test lamp, whose input is not in the results."),
    ],
)
def test_a_row_of_each_era_is_a_result(
    row: dict[str, Any], era: str, answer: str | None, asked: str
) -> None:
    (record,) = accepted(lines(row), "index.jsonl")
    payload = json.loads(record.payload)

    assert (record.kind, record.record_id) == ("result", "lamp")
    assert payload["row"] == row
    assert payload["resolved"]["era"] == era
    assert answer_of(payload) == answer
    assert messages(payload)[-1].content == asked


def test_what_a_row_says_is_found_under_the_same_names() -> None:
    old, new = (resolved(lines(row), "index.jsonl") for row in (OLD, NEW))

    assert [each["name"] for each in old["scores"]] == ["kind", "short"]
    assert [each["name"] for each in new["scores"]] == ["rubrics"]
    assert (old["target"], new["target"]) == ("gpt", "gpt")
    assert (old["reasoning"], new["execution_status"]) == ("Kind, but long.", "ok")


def test_camel_case_names_are_read_as_well() -> None:
    row = {"testId": "a", "score": 1, "executionStatus": "ok", "conversationId": "c"}

    (record,) = accepted(lines(row), "index.jsonl")

    assert (record.record_id, record.group) == ("a", "c")
    assert ("execution_status", "ok") in record.facets


def test_results_are_told_by_their_keys_whatever_the_file_is_called() -> None:
    document = opened(lines(NEW), "anything.jsonl")

    assert [one.record_id for one in document] == ["lamp"]
    assert document.warnings == [
        "Results of agentv: answers that were given elsewhere, with their scores."
    ]


def test_a_test_that_ran_again_gets_a_number() -> None:
    assert [one.record_id for one in accepted(lines(NEW, NEW))] == ["lamp", "lamp#2"]
    assert warnings(lines(NEW, NEW)) == [
        "The test lamp is there more than once: this one is lamp#2."
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            case(),
            "Unsupported result row at line 2. Expected an AgentV result row with a numeric score.",
        ),
        (
            {**NEW, "score": "1"},
            "Unsupported result row at line 2. Expected an AgentV result row with a numeric score.",
        ),
        (
            {**NEW, "score": True},
            "Unsupported result row at line 2. Expected an AgentV result row with a numeric score.",
        ),
        ({**NEW, "score": 7}, "Field 'score' must be from 0 to 1, got 7"),
        ({"score": 1}, "Missing required field: 'test_id'"),
        ([1], "Line 2: Invalid JSON - Expected JSON object"),
    ],
)
def test_a_row_that_is_no_result_is_told_with_its_line(row: Any, message: str) -> None:
    (issue,) = issues(lines(NEW, row), "index.jsonl")

    assert (issue.message, issue.line) == (message, 2)


@pytest.mark.parametrize("name", ["index.jsonl", "a-results.jsonl", "suite.baseline.jsonl"])
def test_a_file_with_the_name_of_results_is_read_as_such(name: str) -> None:
    (issue,) = issues(lines({"hello": 1}), name)

    assert issue.message.startswith("Unsupported result row at line 1. ")


# -- scores ---------------------------------------------------------------------------------


def scores(row: dict[str, Any]) -> list[ImportedScore]:
    (record,) = accepted(lines(row), "index.jsonl")
    return result_scores(json.loads(record.payload))


def test_the_scores_are_that_of_the_row_and_one_of_each_grader() -> None:
    assert scores(OLD) == [
        ImportedScore(
            family="agentv",
            value=0.5,
            method="judge",
            verifier="agentv",
            reason="Kind, but long.",
        ),
        ImportedScore(
            family="kind",
            value=1,
            method="judge",
            verifier="agentv llm_judge",
            reason="1 of 1 checks passed.",
        ),
        ImportedScore(
            family="short",
            value=0,
            method="code",
            verifier="agentv code_judge",
            reason="31 characters",
        ),
    ]


def test_checks_are_the_reason_where_nobody_wrote_one() -> None:
    assert scores(NEW)[0].reason == "1 of 2 checks passed. Failed: Short"


def test_graders_of_the_newest_era_are_named_by_metric_or_type() -> None:
    assert [each.family for each in scores(NEWEST)] == ["agentv", "llm-rubric", "hello"]


def test_graders_of_one_name_are_told_apart_and_odd_scores_are_left_out() -> None:
    graders = [
        {"name": "agentv", "type": "contains", "score": 1},
        {"name": "x", "type": "contains", "score": 1},
        {"name": "x", "type": "contains", "score": 0},
        {"name": "x", "type": "contains", "score": 5},
        {"name": "x", "type": "contains", "score": None},
        "nonsense",
    ]

    found = scores({**NEW, "scores": graders})

    assert [each.family for each in found] == ["agentv", "agentv 2", "x", "x 2"]
    assert found[0].method == "code"


# -- feedback -------------------------------------------------------------------------------


def test_feedback_has_the_shape_that_upstream_reads() -> None:
    cases = [
        CaseFeedback(test_id="a", verdict="acceptable"),
        CaseFeedback(
            test_id="b",
            verdict="needs_improvement",
            notes="Too long.",
            evaluator_overrides={"contains:hello": "It does say hello."},
            workspace_notes="Asked twice.",
        ),
    ]
    moment = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)

    found = feedback_json("run_1", "Bob", moment, cases, overall_notes="Fine.")

    assert list(json.loads(found)) == [
        "run_id",
        "reviewer",
        "timestamp",
        "overall_notes",
        "per_case",
    ]
    assert json.loads(found) == {
        "run_id": "run_1",
        "reviewer": "Bob",
        "timestamp": "2026-03-01T12:30:00.000Z",
        "overall_notes": "Fine.",
        "per_case": [
            {"test_id": "a", "verdict": "acceptable"},
            {
                "test_id": "b",
                "verdict": "needs_improvement",
                "notes": "Too long.",
                "evaluator_overrides": {"contains:hello": "It does say hello."},
                "workspace_notes": "Asked twice.",
            },
        ],
    }


def test_feedback_leaves_out_what_nobody_said() -> None:
    found = json.loads(feedback_json("r", "Bob", datetime(2026, 1, 1, tzinfo=UTC), []))

    assert found == {
        "run_id": "r",
        "reviewer": "Bob",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "per_case": [],
    }


def test_feedback_knows_four_verdicts_and_moments_with_a_time_zone() -> None:
    with pytest.raises(ValidationError):
        CaseFeedback(test_id="a", verdict="fine")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="time zone"):
        feedback_json("r", "Bob", datetime(2026, 1, 1), [])  # noqa: DTZ001
