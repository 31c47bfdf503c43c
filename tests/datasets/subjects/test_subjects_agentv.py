"""What graders see of agentv's cases and results, and of records of the contract."""

import json
from typing import Any

import pytest
from hypothesis import given as hypothesis_given
from hypothesis import strategies as st

from apps.datasets import subjects
from apps.datasets.subjects import Given
from apps.grading.combining import in_force
from apps.grading.contracts import Subject
from apps.grading.spec import judge
from apps.grading.subjects import ToolCall, Turn
from tests.datasets.agentv import accepted, case, lines
from tests.datasets.formats.test_agentv_results import NEW, NEWEST, OLD

CONTAINS = {"type": "contains", "value": "hello"}
BYE = {"type": "contains", "value": "bye"}
PROGRAM = {"type": "code-grader", "command": ["./check.sh"], "name": "program"}


def given(raw: bytes, name: str = "dataset.jsonl", sidecar: str = "dataset: support\n") -> Given:
    (record,) = accepted(raw, name, files={"dataset.yaml": sidecar.encode()})
    return subjects.given(json.loads(record.payload))


def of(sidecar: str = "dataset: support\n", **fields: Any) -> Given:
    return given(lines(case(**fields)), sidecar=sidecar)


def answered(row: dict[str, Any]) -> Subject:
    (record,) = accepted(lines(row), "index.jsonl")
    return Subject(**subjects.answered(json.loads(record.payload)))


def names(rules: tuple[dict[str, Any], ...]) -> list[Any]:
    return [rule["name"] for rule in rules]


# -- cases ----------------------------------------------------------------------------------


def test_a_case_tells_what_is_asked_expected_and_wanted() -> None:
    expected = [
        {"role": "assistant", "tool_calls": [{"tool": "search", "input": {"q": "lamp"}}]},
        {"role": "assistant", "content": "A lamp."},
    ]

    fields = of(expected_output=expected, tags=["shop", "short"]).fields

    subject = Subject(**fields)
    assert (subject.prompt, subject.criteria) == ("Hello?", "Is kind.")
    assert subject.reference_answers == ("A lamp.",)
    assert subject.expected_turns == (
        Turn(role="assistant", tool_calls=(ToolCall(name="search", arguments={"q": "lamp"}),)),
        Turn(role="assistant", content="A lamp."),
    )
    assert subject.labels == ("shop", "short")


def test_graders_of_the_case_are_the_records_and_those_of_the_suite_the_datasets() -> None:
    sidecar = "assertions:\n  - {type: contains, value: bye}\n  - {type: is-json, name: json}\n"

    found = of(sidecar, assertions=[CONTAINS, {**CONTAINS, "name": "greets"}])

    assert names(found.record.rules) == ["contains_0", "greets"]
    assert names(found.dataset.rules) == ["contains_2", "json"]
    assert all("of" not in rule for rule in (*found.record.rules, *found.dataset.rules))
    assert not any(rule["blocking"] for rule in found.record.rules)


def test_graders_of_the_suites_execution_are_the_datasets_too() -> None:
    found = of("execution:\n  evaluators:\n    - {type: contains, value: bye, name: bye}\n")

    assert names(found.dataset.rules) == ["bye"]
    assert found.record.rules == ()


def test_without_graders_the_criteria_are_judged() -> None:
    (rule,) = of().record.rules

    assert (rule["name"], rule["type"]) == ("criteria", "llm-grader")
    assert [item["outcome"] for item in rule["rubrics"]] == ["Is kind."]


def test_with_graders_the_criteria_are_not() -> None:
    assert names(of(assertions=[CONTAINS]).record.rules) == ["contains_0"]


def test_a_judge_that_is_told_nothing_else_looks_at_the_criteria() -> None:
    group = {"type": "composite", "name": "g", "assertions": [{"type": "llm-grader"}, CONTAINS]}

    alone, inside = of(assertions=[{"type": "llm-judge"}, group]).record.rules

    assert alone["rubrics"][0]["outcome"] == "Is kind."
    assert inside["assertions"][0]["rubrics"][0]["outcome"] == "Is kind."
    assert "rubrics" not in inside["assertions"][1]


def test_plain_texts_are_criteria_of_their_own() -> None:
    first, second = of(assertions=["Says hello", "Says bye"]).record.rules

    assert (first["name"], second["name"]) == ("criterion_0", "criterion_1")
    assert second["rubrics"][0]["outcome"] == "Says bye"


@pytest.mark.parametrize(
    ("sidecar", "fields", "passing"),
    [
        ("dataset: a\n", {}, 0.8),
        ("execution: {threshold: 0.6}\n", {}, 0.6),
        ("threshold: 0.5\n", {}, 0.5),
        ("threshold: 7\n", {}, 0.8),
        ("threshold: 0.5\n", {"threshold": 0.9}, 0.9),
        ("dataset: a\n", {"execution": {"threshold": 1}}, 1),
        ("dataset: a\n", {"threshold": True}, 0.8),
    ],
)
def test_an_answer_must_reach_the_threshold_of_the_case_or_the_suite(
    sidecar: str, fields: dict[str, Any], passing: float
) -> None:
    found = of(sidecar, assertions=[CONTAINS], **fields)

    assert in_force(None, found.dataset, found.record).passing_score == passing


def test_the_threshold_of_a_csv_column_counts() -> None:
    found = given(b"id,input,__expected,__threshold\na,Hi?,contains:hi,0.4\n", "cases.csv")

    assert found.record.passing_score == 0.4


@pytest.mark.parametrize(
    ("graders", "response", "outcome"),
    [
        ([CONTAINS], "hello", "passed"),
        ([CONTAINS, {**CONTAINS, "value": "bye"}], "hello", "failed"),
        ([CONTAINS, {**CONTAINS, "value": "bye", "weight": 0.1}], "hello", "passed"),
        (
            [CONTAINS, {**CONTAINS, "value": "bye", "weight": 0.1, "required": True}],
            "hello",
            "failed",
        ),
        ([CONTAINS, PROGRAM], "hello", "unjudged"),
        ([CONTAINS, {**PROGRAM, "weight": 0}], "hello", "passed"),
        ([PROGRAM], "hello", "unjudged"),
        ([CONTAINS, "Is kind."], "hello", "unjudged"),
    ],
)
def test_an_answer_passes_by_the_weighted_mean_of_what_was_carried_out(
    graders: list[Any], response: str, outcome: str
) -> None:
    found = of(assertions=graders)

    rules = in_force(None, found.dataset, found.record, judges=())

    assert judge(rules, Subject(**found.fields, response=response)).outcome == outcome


def test_records_that_were_read_before_suites_were_told_apart_are_still_understood() -> None:
    (record,) = accepted(lines(case(assertions=[CONTAINS])), files={"dataset.yaml": b"name: a\n"})
    payload = json.loads(record.payload)
    payload["resolved"]["suite"] = {"name": "a", "execution": {}, "evaluator": "llm_judge"}

    found = subjects.given(payload)

    assert names(found.record.rules) == ["contains_0"]
    assert found.dataset.passing_score == 0.8


# -- results --------------------------------------------------------------------------------


def test_output_messages_are_the_turns_of_the_answer() -> None:
    calls = [
        {"tool": "search", "input": {"q": "lamp"}, "output": ["a"], "duration_ms": 45},
        {"function": {"name": "order", "arguments": '{"id": 7}'}},
        {"toolName": "nothing"},
        "nonsense",
    ]
    output = [{"role": "assistant", "content": "Let me see.", "tool_calls": calls}, 7]

    subject = answered({**NEW, "output": output, "duration_ms": 1234.6, "cost_usd": 0.004})

    assert subject.turns == (
        Turn(
            role="assistant",
            content="Let me see.",
            tool_calls=(
                ToolCall(name="search", arguments={"q": "lamp"}, result=["a"], duration_ms=45),
                ToolCall(name="order", arguments='{"id": 7}'),
                ToolCall(name="nothing"),
            ),
        ),
    )
    assert (subject.latency_ms, subject.cost) == (1235, 0.004)


@pytest.mark.parametrize(
    "summary",
    [
        {"trace_summary": {"tool_calls_by_name": {"search": 2}}},
        {"traceSummary": {"toolCallsByName": {"search": 2}}},
        {"trace": {"tool_calls": {"search": 2}}},
        {"transcript_summary": {"tool_calls": {"search": 2, "odd": "many", "none": -1}}},
    ],
)
def test_a_summary_tells_how_often_each_tool_was_called(summary: dict[str, Any]) -> None:
    assert answered({**OLD, **summary}).calls_by_tool == {"search": 2}


def test_a_summary_tells_time_tokens_and_cost() -> None:
    usage = {"input": 450, "output": 380, "cached": 120}
    summary = {"token_usage": usage, "cost_usd": 0.0042, "duration_ms": 3420}

    subject = answered({**OLD, "trace_summary": summary})

    assert (subject.input_tokens, subject.output_tokens, subject.cached_tokens) == (450, 380, 120)
    assert (subject.cost, subject.latency_ms) == (0.0042, 3420)
    assert subject.calls_by_tool is None


@pytest.mark.parametrize("row", [OLD, NEWEST])
def test_a_row_that_tells_nothing_leaves_it_unknown(row: dict[str, Any]) -> None:
    subject = answered(row)

    assert (subject.calls_by_tool, subject.latency_ms, subject.cost) == (None, None, None)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["tool", "input", "role", "content", "x"]), inner)
    ),
    max_leaves=8,
)


@hypothesis_given(
    st.dictionaries(
        st.sampled_from(
            [
                "output",
                "trace",
                "trace_summary",
                "token_usage",
                "duration_ms",
                "cost_usd",
                "metrics",
            ]
        ),
        JSON,
    )
)
def test_whatever_a_row_says_of_its_answer_is_understood_or_left_out(row: dict[str, Any]) -> None:
    payload = {"row": row, "kind": "result", "resolved": {}}

    assert Subject(**subjects.answered(payload)).record_id == ""


# -- records of the contract ----------------------------------------------------------------


def prompt(**fields: Any) -> Given:
    return subjects.given({"record_id": "q1", "input": {"prompt": "What is 2 + 2?"}, **fields})


def test_rules_in_a_records_metadata_are_rules_of_the_record() -> None:
    rules = [{"type": "exact_match", "value": "4"}, {"type": "icontains", "value": "four"}]

    found = prompt(metadata={"grading_rules": rules}, tags=["math"])

    assert found.record.rules == tuple(rules)
    assert found.fields["labels"] == ("math",)


@pytest.mark.parametrize("metadata", [{}, {"grading_rules": []}, {"grading_rules": "strict"}])
def test_metadata_without_rules_brings_none(metadata: dict[str, Any]) -> None:
    assert prompt(metadata=metadata).record.rules == ()
    assert prompt().record.rules == ()
