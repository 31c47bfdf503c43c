"""agentv JSON lines: eras, mistakes, ids, messages, and the slices of a case."""

import json
from typing import Any

import pytest

from apps.datasets.contracts import Rejected
from apps.datasets.formats import detect
from apps.datasets.prompting import answer_of, messages, reference_of
from tests.datasets.agentv import (
    FIRST,
    SIDECAR,
    accepted,
    case,
    issues,
    lines,
    opened,
    rejected,
    resolved,
    told,
    warnings,
)

FIFTH = {"id": "a", "vars": {"input": "Hello?"}, "assert": ["Is kind."]}
ERAS = [
    (FIRST, "to 2.5"),
    ({**FIRST, "rubrics": ["Says hello"]}, "to 2.5"),
    ({"id": "a", "outcome": "Is kind.", "input": "Hello?"}, "to 2.5"),
    ({"id": "a", "criteria": "g", "input_messages": FIRST["input_messages"]}, "2.6 to 2.7"),
    (case(**{"assert": [{"type": "contains", "value": "x"}]}), "2.6 to 2.7"),
    (case(), "2.7 to 4.x"),
    (case(assertions=["Is kind."]), "2.7 to 4.x"),
    (FIFTH, "5.x"),
    ({"id": 1, "prompt": "Hello?", "expected_output": "Hi."}, "Agent Skills"),
]
MISTAKES: list[tuple[dict[str, Any], str, str]] = [
    (
        {"id": "a", "input_messages": FIRST["input_messages"]},
        "Missing required field: 'expected_outcome'",
        "Required fields: id, expected_outcome, input_messages",
    ),
    (
        {"id": "a", "expected_outcome": "g"},
        "Missing required field: 'input_messages'",
        "Required fields: id, expected_outcome, input_messages",
    ),
    (
        {**FIRST, "input_messages": "Hello?"},
        "Field 'input_messages' must be an array, got string",
        "",
    ),
    ({"criteria": "g", "input": "x"}, "Missing required field: 'id'", "Required fields: id, input"),
    (case(id=5), "Field 'id' must be a string, got number", "Put it in quotes"),
    (case(criteria=["g"]), "Field 'criteria' must be a string, got array", ""),
    (case(execution="gpt"), "Field 'execution' must be an object, got string", ""),
    (case(conversation_id=3), "Field 'conversation_id' must be a string, got number", ""),
    (case(rubrics="r"), "Field 'rubrics' must be an array, got string", ""),
    (case(assertions={"type": "x"}), "Field 'assertions' must be an array, got object", ""),
    (
        case(assertions=[5]),
        "Field 'assertions[0]' must be a grader or a text, got number",
        "",
    ),
    (case(input=True), "Field 'input' must be a string, an object or an array, got boolean", ""),
    (case(input=[]), "Field 'input' must have at least one message", ""),
    (
        case(input=["hi"]),
        "Field 'input[0]' must be a message with role and content, got string",
        "",
    ),
    (
        case(input=[{"role": "judge", "content": "x"}]),
        "Field 'input[0].role' must be one of system, user, assistant, tool",
        "",
    ),
    (case(input=[{"content": "x"}]), "Missing required field: 'input[0].role'", ""),
    (case(input=[{"role": "user"}]), "Missing required field: 'input[0].content'", ""),
    ({"id": "a", "vars": {"x": 1}, "criteria": "g"}, "Missing required field: 'vars.input'", ""),
    ({"id": "a", "vars": {"input": "x"}}, "Missing required field: 'assert'", ""),
]


@pytest.mark.parametrize(("row", "era"), ERAS)
def test_each_era_is_read_and_named(row: dict[str, Any], era: str) -> None:
    document = opened(lines(row), files=SIDECAR)

    (record,) = document

    assert json.loads(record.payload)["resolved"]["era"] == era  # type: ignore[union-attr]
    assert document.warnings[0].startswith(f"Read as agentv of the era {era} (")


def test_the_same_case_means_the_same_in_the_first_and_the_third_era() -> None:
    first, third = (resolved(lines(row), files=SIDECAR) for row in (FIRST, case()))

    assert {**first, "era": ""} == {**third, "era": ""}


def test_several_eras_in_a_file_are_counted() -> None:
    document = opened(lines(case("a"), case("b"), {**FIRST, "id": "c"}), files=SIDECAR)

    assert told(document) == [
        "2 cases are read as agentv of the era 2.7 to 4.x (tests, criteria, input, assertions).",
        "1 case is read as agentv of the era to 2.5 (evalcases, expected_outcome, input_messages, "
        "evaluators).",
    ]


@pytest.mark.parametrize(("row", "message", "hint"), MISTAKES)
def test_a_mistake_is_told_with_its_line_and_what_to_do(
    row: dict[str, Any], message: str, hint: str
) -> None:
    (issue,) = issues(b"\n" + lines(row), files=SIDECAR)

    assert issue.message == message
    assert issue.hint.startswith(hint)
    assert issue.line == 2


def test_every_problem_of_every_line_is_listed() -> None:
    raw = lines(case("good"), {"id": 5, "criteria": 1}) + b"{oops\n[1]\n" + lines(case("last"))

    found = list(opened(raw, files=SIDECAR))
    told_of = issues(raw, files=SIDECAR)

    assert [one.index for one in found] == [0, 1, 2, 3, 4]
    assert [(issue.line, issue.code, issue.path) for issue in told_of] == [
        (2, "invalid_field_type", "criteria"),
        (2, "invalid_field_type", "id"),
        (2, "missing_required_field", "input"),
        (3, "invalid_json", "column 2"),
        (4, "invalid_json", ""),
    ]
    assert told_of[3].message.startswith("Line 3: Invalid JSON - ")
    assert told_of[4].message == "Line 4: Invalid JSON - Expected JSON object"
    assert {issue.hint for issue in told_of[3:]} == {"Each line must be a complete JSON object"}


def test_a_file_of_another_ending_is_refused_by_the_formats_own_sentence() -> None:
    with pytest.raises(Rejected) as refused:
        opened(lines(case()), "dataset.txt")

    assert refused.value.message == (
        "Unsupported file format: '.txt'. Supported formats: .yaml, .yml, .jsonl, .csv"
    )


# -- what is asked --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stated", "sent"),
    [
        ("Hello?", [("user", "Hello?")]),
        ({"a": 1}, [("user", '{\n  "a": 1\n}')]),
        ({"role": "system", "content": "S"}, [("system", "S")]),
        (
            [{"role": "system", "content": "S"}, {"role": "user", "content": {"b": "ü"}}],
            [("system", "S"), ("user", '{\n  "b": "ü"\n}')],
        ),
        ('[{"role": "user", "content": "inner"}]', [("user", "inner")]),
        ('[{"role": "nobody", "content": 1}]', [("user", '[{"role": "nobody", "content": 1}]')]),
        (
            [{"role": "user", "content": [{"type": "text", "value": "one"}, "two"]}],
            [("user", "one\ntwo")],
        ),
        (
            [
                {"role": "assistant", "tool_calls": [{"tool": "t"}]},
                {"role": "tool", "content": "r"},
            ],
            [("assistant", '[\n  {\n    "tool": "t"\n  }\n]'), ("tool", "r")],
        ),
    ],
)
def test_the_input_is_told_as_messages(stated: Any, sent: list[tuple[str, str]]) -> None:
    (record,) = accepted(lines(case(input=stated)), files=SIDECAR)

    found = messages(json.loads(record.payload))

    assert [(message.role, message.content) for message in found] == sent


@pytest.mark.parametrize(
    ("stated", "reference"),
    [
        (None, None),
        ("Hi.", "Hi."),
        ({"risk": "High"}, '{\n  "risk": "High"\n}'),
        ([{"role": "assistant", "content": "x"}, {"role": "assistant", "content": "y"}], "y"),
        ([{"role": "assistant", "tool_calls": [{"tool": "t"}]}], '[\n  {\n    "tool": "t"\n  }\n]'),
        ([{"a": 1}], '[\n  {\n    "a": 1\n  }\n]'),
        (
            [{"role": "assistant", "content": [{"type": "text", "value": "a"}, "b"]}],
            "a\n\nb",
        ),
    ],
)
def test_the_reference_is_the_last_expected_message(stated: Any, reference: str | None) -> None:
    (record,) = accepted(lines(case(expected_output=stated)), files=SIDECAR)
    payload = json.loads(record.payload)

    assert reference_of(payload) == reference
    assert answer_of(payload) is None


def test_an_image_is_named_and_not_sent() -> None:
    row = case(input=[{"role": "user", "content": [{"type": "image", "value": "./lamp.png"}]}])

    assert resolved(lines(row), files=SIDECAR)["messages"][0]["content"] == "[Image: ./lamp.png]"
    assert warnings(lines(row), files=SIDECAR) == ["The image of input[0].content[0] is not sent."]


# -- ids, groups, slices --------------------------------------------------------------------


def test_ids_may_repeat_and_the_second_gets_a_number() -> None:
    raw = lines(case("b"), case("b", input="2"), case("b#2"), {"id": "b"}, case("b", input="5"))

    found = accepted(raw, files=SIDECAR)

    assert [one.record_id for one in found] == ["b", "b#2", "b#2#2", "b#3"]
    assert warnings(raw, files=SIDECAR)[0] == "The id b is there more than once: this one is b#2."
    assert json.loads(found[1].payload)["row"]["id"] == "b"


def test_a_rejected_case_takes_no_id() -> None:
    raw = lines({"id": "b"}, case("b"))

    assert [one.record_id for one in accepted(raw, files=SIDECAR)] == ["b"]
    assert [one.record_id for one in rejected(raw, files=SIDECAR)] == ["b"]


def test_a_case_is_in_the_slices_of_its_suite_target_conversation_tags_and_metadata() -> None:
    row = case(
        conversation_id="c1",
        execution={"target": "gpt"},
        tags=["lamps", "returns"],
        metadata={"topic": "returns", "hard": True, "labels": ["x"]},
    )

    (record,) = accepted(lines(row), files=SIDECAR)

    assert record.group == "c1"
    assert record.facets == (
        ("suite", "support"),
        ("conversation", "c1"),
        ("target", "gpt"),
        ("tag", "lamps"),
        ("tag", "returns"),
        ("label", "x"),
        ("metadata.topic", "returns"),
        ("metadata.hard", "true"),
        ("length", "1-20"),
    )


# -- detection ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "head", "is_ours"),
    [
        ("dataset.jsonl", lines(FIRST), True),
        ("dataset.jsonl", b"\xef\xbb\xbf\n" + lines(case()), True),
        ("dataset.jsonl", lines(FIFTH), True),
        ("dataset.jsonl", b'{"id": "a", "input_messages": [{"role"', True),
        ("index.jsonl", lines({"test_id": "a", "score": 1}), True),
        ("dataset.jsonl", lines({"id": "a", "input": "x"}), False),
        ("dataset.jsonl", lines({"id": "a", "query": "x", "response": "y"}), False),
        ("dataset.jsonl", lines({"scenario_id": "a", "input": "x", "assert": []}), False),
        ("suite.yaml", b"# a\nevalcases:\n- id: x\n", True),
        ("suite.yml", b"name: x\ntests: ./cases.jsonl\n", True),
        ("cases.yaml", b"- id: a\n  vars:\n    input: x\n", True),
        ("sidecar.yaml", b"dataset: x\nexecution:\n  target: y\n", False),
        ("scenarios.yaml", b"cases:\n- scenario_id: x\n", False),
        ("magic.csv", b"id,vars.input,__expected\n", True),
        ("cases.csv", b"id,input,criteria\n", True),
        ("pairs.csv", b"id,query,response\n", False),
        ("evals.json", b'{"skill_name": "s", "evals": [{"id": 1, "prompt": "x"}]}', True),
        ("dataset.json", b'{"questions": []}', False),
    ],
)
def test_a_file_is_recognised_by_ending_and_beginning(
    name: str, head: bytes, is_ours: bool
) -> None:
    found = detect(name, head)

    assert (found is not None and found.id == "agentv") is is_ours
