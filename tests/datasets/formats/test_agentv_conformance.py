"""agentv: what the original loader answered, with our decisions where we differ."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from apps.datasets.contracts import AcceptedRecord
from tests.datasets.agentv import issues, opened

CHECKOUT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
FILE = SHARED / "conformance" / "agentv_jsonl_loader.json"
CASES: dict[str, Any] = json.loads(FILE.read_bytes()) if FILE.is_file() else {}
READ = [name for name, answer in CASES.items() if answer.get("tests")]

pytestmark = pytest.mark.skipif(
    not CASES, reason=f"{FILE.name} is not here: set EVALHUB_SHARED to the shared folder"
)


def of(name: str) -> list[dict[str, Any]]:
    found = opened(CASES[name]["input"].encode(), f"{name}.jsonl")
    return [json.loads(one.payload) for one in found if isinstance(one, AcceptedRecord)]


@pytest.mark.parametrize("name", READ)
def test_a_case_means_what_the_original_loader_took_it_for(name: str) -> None:
    theirs = CASES[name]["tests"]

    ours = [payload["resolved"] for payload in of(name)]

    assert [
        {
            "id": payload["row"]["id"],
            "suite": found["suite"]["name"],
            "question": found["question"],
            "expected_output": found["expected"],
            "reference_answer": found["reference_answer"],
            "criteria": found["criteria"],
            "assertions": found["assertions"],
            "roles": [each["role"] for each in found["messages"]],
        }
        for payload, found in zip(of(name), ours, strict=True)
    ] == [
        {
            **{key: test[key] for key in ("id", "suite", "question", "expected_output")},
            **{key: test[key] for key in ("reference_answer", "criteria")},
            "assertions": test.get("assertions", []),
            "roles": [each["role"] for each in test["input"]],
        }
        for test in theirs
    ]


def test_decided_a_second_id_gets_a_number() -> None:
    assert [payload["record_id"] for payload in of("dup_ids")] == ["b", "b#2"]


def test_decided_a_missing_field_is_an_error_and_no_case_is_skipped_in_silence() -> None:
    (issue,) = issues(CASES["missing_criteria"]["input"].encode(), "missing_criteria.jsonl")

    assert issue.message == "Missing required field: 'criteria'"
    assert issue.line == 1


def test_a_line_that_is_no_object_has_the_original_sentence() -> None:
    (issue,) = issues(CASES["not_object"]["input"].encode(), "not_object.jsonl")

    assert issue.message == CASES["not_object"]["error"].split("\n")[0]


def test_a_file_that_is_not_there_has_the_original_sentence() -> None:
    (record,) = opened(CASES["file_missing"]["input"].encode(), "file_missing.jsonl")

    assert isinstance(record, AcceptedRecord)
    assert record.warnings[0].message in CASES["file_missing"]["logs"][0]
    assert record.warnings[0].hint.startswith("Tried: nope.txt")
