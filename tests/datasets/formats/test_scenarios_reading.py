"""Agent scenarios: which files are read, what is a mistake, and what is only worth a look."""

import json
from typing import Any

import orjson
import pytest

from apps.datasets import prompting
from apps.datasets.contracts import Rejected
from apps.datasets.formats import detect
from tests.datasets.scenario_files import (
    SCENARIOS,
    as_lines,
    event,
    issues,
    kept,
    log,
    messages,
    read,
    scenario,
    warnings,
    without,
)

SEED = """\
scenario_id: drill
labels:
- failed_run
grading_rules:
- type: status_equals
  expected: failed
  blocking: true
verifier_outputs:
  verifier_id: review
  verifier_contract_version: v2
  process_score: 0.92
  outcome_score: 0.35
  failure_attribution: uncontrollable_environment
  verifier_evidence_refs:
  - trace:run-7
"""


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("s.jsonl", as_lines(scenario(1), scenario(2))),
        ("s.json", json.dumps([scenario(1), scenario(2)]).encode()),
        ("s.json", json.dumps({"scenarios": [scenario(1), scenario(2)]}, indent=2).encode()),
        ("s.json", as_lines(scenario(1), scenario(2))),
        ("s.yaml", json.dumps({"scenarios": [scenario(1), scenario(2)]}).encode()),
        ("s.yml", json.dumps([scenario(1), scenario(2)]).encode()),
    ],
    ids=["lines", "array", "object", "lines in .json", "yaml object", "yaml list"],
)
def test_scenarios_are_read_however_they_are_spelled(name: str, raw: bytes) -> None:
    records = kept(raw, name)

    assert [record.record_id for record in records] == ["refund-1", "refund-2"]
    assert orjson.loads(records[0].payload)["row"] == scenario(1)


def test_one_scenario_alone_is_a_file_too() -> None:
    spelled = json.dumps(scenario(), indent=2).encode()

    assert [record.record_id for record in kept(spelled, "s.json")] == ["refund-1"]


def test_the_contract_of_the_seed_is_read_and_says_that_nobody_is_asked() -> None:
    record = kept(SEED.encode(), "drill.yaml")[0]

    assert record.record_id == "drill"
    assert [note.code for note in record.warnings] == ["nothing_to_ask"]
    assert prompting.messages(orjson.loads(record.payload))[0].content == (
        "Scenario drill (failed_run)"
    )


def test_a_record_keeps_its_row_and_has_its_slices() -> None:
    row = scenario(labels=["a", "b"], scenario_owner="Alice", extra={"z": 1, "a": [True]})

    record = kept(as_lines(row))[0]

    assert list(orjson.loads(record.payload)["row"]) == list(row)
    assert record.kind == "scenario"
    assert record.head == "Refund my lamp."
    assert record.facets == (
        ("label", "a"),
        ("label", "b"),
        ("risk_class", "high"),
        ("scenario_owner", "Alice"),
        ("length", "1-20"),
    )


def test_every_turn_of_the_user_is_a_message() -> None:
    payload = orjson.loads(kept(as_lines(scenario(user_inputs=["One.", "Two."])))[0].payload)

    assert [message.content for message in prompting.messages(payload)] == ["One.", "Two."]


def test_the_version_that_every_scenario_names_is_the_versions_label() -> None:
    same = as_lines(scenario(1, dataset_version="v1"), scenario(2, dataset_version="v1"))
    others = as_lines(scenario(1, dataset_version="v1"), scenario(2, dataset_version="v2"))

    assert read(SCENARIOS, same)[0].header.dataset_version == "v1"
    assert read(SCENARIOS, others)[0].header.dataset_version == ""


MISTAKES: list[tuple[dict[str, Any], list[str]]] = [
    (without(scenario(), "scenario_id"), ["scenario_id is required."]),
    (
        without(scenario(), "labels", "risk_class"),
        ["labels is required.", "risk_class is required."],
    ),
    (scenario(scenario_id=5), ["scenario_id must be a text."]),
    (scenario(scenario_id=" "), ["scenario_id must not be empty."]),
    (scenario(labels="a"), ["labels must be a list of texts."]),
    (scenario(labels=["a", 1]), ["labels[1] must be a text."]),
    (scenario(user_inputs=[]), ["user_inputs must not be empty."]),
    (scenario(user_inputs=[""]), ["user_inputs[0] must not be empty."]),
    (scenario(expected_outcomes=[]), ["expected_outcomes must be an object."]),
    (
        scenario(expected_outcomes={"failed_runs": "1", "approval_status_counts": {"a": -1}}),
        [
            "expected_outcomes.failed_runs must be a whole number.",
            "expected_outcomes.approval_status_counts.a must be at least 0.",
        ],
    ),
    (scenario(grading_rules={}), ["grading_rules must be a list of rules."]),
    (
        scenario(grading_rules=[{"type": "status_equals"}]),
        ["grading_rules[0].expected is required.", "grading_rules[0].blocking is required."],
    ),
    (
        scenario(grading_rules=[{"type": "max_tool_calls", "expected": "3", "blocking": 1}]),
        [
            "grading_rules[0].blocking must be true or false.",
            "grading_rules[0].expected must be a whole number.",
        ],
    ),
    (
        scenario(verifier_outputs=[{"process_score": 2}, 5]),
        [
            "verifier_outputs[0].process_score must be from 0 to 1.",
            "verifier_outputs[1] must be an object.",
        ],
    ),
    (scenario(source_trace_ids="t"), ["source_trace_ids must be a list of texts."]),
    (scenario(blocking="yes"), ["blocking must be true or false."]),
]


@pytest.mark.parametrize(("row", "expected"), MISTAKES)
def test_every_mistake_of_a_scenario_is_told(row: dict[str, Any], expected: list[str]) -> None:
    assert messages(as_lines(row)) == expected


def test_a_mistake_says_its_line_and_its_path() -> None:
    raw = as_lines(scenario(1)) + b"\n" + as_lines(scenario(2, risk_class=1))

    issue = issues(raw)[0]

    assert (issue.line, issue.index, issue.path, issue.value) == (3, 1, "risk_class", "1")


def test_an_id_may_be_used_once() -> None:
    assert messages(as_lines(scenario(1), scenario(2), scenario(1))) == [
        "scenario_id refund-1 is that of line 1 already."
    ]


def test_a_line_that_is_no_json_is_a_rejected_record() -> None:
    found = issues(as_lines(scenario(1)) + b"{not json}\n[]\n")

    assert [(issue.line, issue.code) for issue in found] == [
        (2, "invalid_json"),
        (3, "invalid_field_type"),
    ]


def test_what_is_not_known_is_kept_and_told() -> None:
    rule = {"type": "is_polite", "expected": True, "blocking": False}

    found = warnings(as_lines(scenario(mood="good", grading_rules=[rule])))

    assert [(note.code, note.path) for note in found] == [
        ("unknown_field", "mood"),
        ("unknown_rule_type", "grading_rules[0].type"),
    ]
    assert "mood" in found[0].message


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"[]", "has no scenarios"),
        (b'{"scenarios": []}', "has no scenarios"),
        (b'{"scenarios": [1', "Invalid JSON"),
        (b'{"scenarios": [], "sessions": [{}]}', "both"),
        (b"  ", "has no scenarios"),
        (b"- scenario_id: [", "Invalid YAML in line 2"),
        (b"just words", "has no scenarios"),
        ("[{}]".encode("utf-16"), "UTF-16"),
    ],
)
def test_what_holds_no_scenarios_is_refused(raw: bytes, words: str) -> None:
    with pytest.raises(Rejected, match=words):
        read(SCENARIOS, raw, "s.json")


@pytest.mark.parametrize(
    ("name", "raw", "expected"),
    [
        ("s.jsonl", as_lines(scenario()), "scenarios"),
        ("s.json", json.dumps([scenario()]).encode(), "scenarios"),
        ("s.json", json.dumps({"dataset_name": "a", "sessions": []}).encode(), "scenarios"),
        ("s.yaml", SEED.encode(), "scenarios"),
        ("t.jsonl", as_lines(event()), "trace"),
        ("t.jsonl", as_lines(log(scenario_id="a", labels=[])), "trace"),
        ("t.jsonl", as_lines({"messages": []}), None),
        ("s.jsonl", as_lines({"scenario_id": "a"}), None),
    ],
)
def test_a_file_of_agents_is_told_apart(name: str, raw: bytes, expected: str | None) -> None:
    found = detect(name, raw)

    assert (found.id if found else None) == expected
