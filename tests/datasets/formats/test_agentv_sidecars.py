"""agentv's sidecar: what it names, what a line or a case puts in its place."""

import json
from typing import Any

import pytest

from apps.datasets.contracts import Rejected
from tests.datasets.agentv import FIRST, SIDECAR, accepted, case, lines, opened, resolved, told


def test_a_missing_sidecar_is_a_warning_that_names_the_defaults() -> None:
    document = opened(lines(case()), "evals/dataset.jsonl")

    assert told(document)[1] == (
        "Sidecar metadata file not found: evals/dataset.yaml. "
        "Using defaults: target=default, evaluator=llm_judge."
    )
    assert document.header.dataset_id == "dataset"


@pytest.mark.parametrize("ending", ["yaml", "yml"])
def test_a_sidecar_names_suite_target_and_evaluator(ending: str) -> None:
    files = {f"evals/dataset.{ending}": b"dataset: d\nevaluator: e\nexecution: {target: t}\n"}

    document = opened(lines(case()), "evals/dataset.jsonl", files)
    found = resolved(lines(case()), "evals/dataset.jsonl", files)

    assert document.header.dataset_id == "d"
    assert found["suite"] == {"name": "d", "execution": {"target": "t"}, "evaluator": "e"}
    assert found["execution"] == {"target": "t"}
    assert found["evaluator"] == "e"


def test_a_sidecar_in_another_folder_is_none() -> None:
    document = opened(lines(case()), "evals/dataset.jsonl", {"dataset.yaml": b"dataset: d\n"})

    assert document.header.dataset_id == "dataset"


@pytest.mark.parametrize(
    ("row", "execution", "evaluator"),
    [
        (case(), {"target": "base", "retries": 2}, "sidecar"),
        (case(evaluator="own"), {"target": "base", "retries": 2}, "own"),
        (case(execution={"target": "own"}), {"target": "own"}, "sidecar"),
        (case(execution={"retries": 5}), {"retries": 5, "target": "default"}, "sidecar"),
        (case(execution={}), {"target": "default"}, "sidecar"),
    ],
)
def test_a_line_goes_before_the_sidecar_and_its_execution_replaces_the_whole(
    row: dict[str, Any], execution: dict[str, Any], evaluator: str
) -> None:
    files = {"dataset.yaml": b"evaluator: sidecar\nexecution: {target: base, retries: 2}\n"}

    found = resolved(lines(row), files=files)

    assert found["execution"] == execution
    assert found["evaluator"] == evaluator


@pytest.mark.parametrize(
    ("fields", "types"),
    [
        ({}, ["latency"]),
        ({"execution": {"target": "t"}}, []),
        ({"execution": {"evaluators": [{"type": "equals"}]}}, ["equals"]),
        ({"evaluators": [{"type": "contains"}]}, ["contains"]),
        ({"assert": [{"type": "regex"}], "evaluators": [{"type": "contains"}]}, ["regex"]),
        ({"assertions": [], "evaluators": [{"type": "contains"}]}, []),
        ({"rubrics": ["r"]}, ["llm-grader", "latency"]),
    ],
)
def test_graders_of_a_case_replace_those_of_the_sidecar(
    fields: dict[str, Any], types: list[str]
) -> None:
    files = {"dataset.yaml": b"execution: {evaluators: [{type: latency}]}\n"}

    found = resolved(lines({**FIRST, **fields}), files=files)

    assert [grader["type"] for grader in found["assertions"]] == types


@pytest.mark.parametrize("skipped", [True, False])
def test_graders_of_the_whole_suite_are_added_unless_a_case_skips_them(skipped: bool) -> None:
    files = {"dataset.yaml": b"assertions: [{type: is-json}]\n"}
    row = case(assertions=["Is kind."], execution={"skip_defaults": skipped})

    found = resolved(lines(row), files=files)

    assert [each["type"] for each in found["assertions"]] == ["llm-grader"] + (
        [] if skipped else ["is-json"]
    )


def test_a_sidecar_that_is_no_yaml_refuses_the_file_with_its_line() -> None:
    with pytest.raises(Rejected, match=r"dataset.yaml: Line 2: Invalid YAML - "):
        opened(lines(case()), files={"dataset.yaml": b"a: 1\na: 2\n"})


def test_names_of_columns_may_be_mapped() -> None:
    raw = lines({"key": "a", "question": "Hello?", "wanted": "Is kind.", "other": 1})
    mapping = {"id": "key", "input": "question", "criteria": "wanted"}

    (record,) = accepted(raw, files=SIDECAR, mapping=mapping)

    assert json.loads(record.payload)["row"] == {
        "other": 1,
        "id": "a",
        "input": "Hello?",
        "criteria": "Is kind.",
    }
