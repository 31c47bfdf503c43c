"""legal_eval_v1: what is said of each row, and where."""

import json
from typing import Any

import pytest

from apps.datasets.contracts import AcceptedRecord, Rejected, RejectedRecord
from apps.datasets.formats import detect
from apps.datasets.uploading.bundles import Bundle
from tests.datasets.legal import (
    FORMAT,
    MCQ,
    RUBRIC,
    accepted,
    errors,
    lines,
    read,
    row,
    warnings,
)


def test_a_record_is_the_row_by_its_own_id() -> None:
    (record,) = accepted(lines(row(metadata={"area": "tenancy", "level": 3})), name="a/set.x.jsonl")

    stored = json.loads(record.payload)
    assert stored["record_id"] == record.record_id == "q1"
    assert stored["kind"] == record.kind == "legal"
    assert list(stored["row"]) == list(row(metadata={}))
    assert record.facets == (
        ("task_type", "reference_qa"),
        ("dataset", "tenancy"),
        ("policy", "default_v1"),
        ("metadata.area", "tenancy"),
        ("metadata.level", "3"),
        ("length", "1-20"),
    )


def test_a_file_is_called_by_its_name() -> None:
    header = FORMAT.read(Bundle("evals/tenancy law.v2.jsonl", lines(row()))).header

    assert header.dataset_id == "tenancy law"
    assert header.schema_version == "legal_eval_v1"


MANY = [
    (
        {"id": " ", "dataset": 5, "prompt": None, "task_type": "essay", "context": 1},
        [
            "`id` must be a non-empty string.",
            "`dataset` must be a non-empty string.",
            "`prompt` must be a non-empty string.",
            "`task_type` must be one of: rubric_qa, reference_qa, mcq.",
        ],
    ),
    (
        {"context": None, "metadata": [], "messages": [{"role": "judge"}, 1, {"content": "x"}]},
        [
            "`context` must be a string when provided.",
            "`metadata` must be an object when provided.",
            "`messages[0].role` must be one of: assistant, system, user.",
            "`messages[0].content` must be a non-empty string.",
            "`messages[1]` must be an object.",
            "`messages[2].role` must be a non-empty string.",
        ],
    ),
    (
        {"attachments": [{"path": "a", "kind": None, "title": 2}, "b"], "reference_answers": []},
        [
            "`attachments[0].kind` must be a string when provided.",
            "`attachments[0].title` must be a string when provided.",
            "`attachments[1]` must be an object.",
            "`reference_answers` must be a non-empty array.",
        ],
    ),
    (
        {
            **RUBRIC,
            "rubric": [{"id": "", "description": None, "weight": "2"}, {"id": "a", "title": "b"}],
            "reference_answers": ["", "fine"],
            "choices": None,
        },
        [
            "`rubric[0].id` must be a non-empty string.",
            "`rubric[0].title` must be a non-empty string.",
            "`rubric[0].description` must be a string when provided.",
            "`rubric[0].weight` must be a number when provided.",
            "`reference_answers[0]` must be a non-empty string.",
            "`choices` is forbidden for task_type=rubric_qa.",
        ],
    ),
    (
        {**MCQ, "choices": [{"id": "A", "text": " "}, 1], "correct_choice_ids": [1, "A", "C"]},
        [
            "`choices[0].text` must be a non-empty string.",
            "`choices[1]` must be an object.",
            "`correct_choice_ids[0]` must be a non-empty string.",
            "`correct_choice_ids[2]` references unknown choice id `C`.",
        ],
    ),
    (
        {**MCQ, "choices": [{"id": "A", "text": "x"}], "correct_choice_ids": []},
        ["`choices` must be an array with at least 2 elements."],
    ),
]


@pytest.mark.parametrize(("changes", "said"), MANY)
def test_everything_wrong_with_a_row_is_said_in_the_order_of_the_validator(
    changes: dict[str, Any], said: list[str]
) -> None:
    given = row(**changes)
    if given["task_type"] != "reference_qa" and "reference_answers" not in changes:
        given.pop("reference_answers", None)

    assert errors(lines(given)) == [said]


def test_a_row_without_what_all_need_is_told_all_of_it_at_once() -> None:
    (record,) = read(b'{"dataset": "d", "task_type": "mcq"}')

    assert isinstance(record, RejectedRecord)
    assert [(issue.path, issue.message) for issue in record.issues] == [
        ("id, prompt, schema_version", "Missing required fields: id, prompt, schema_version.")
    ]


def test_weights_may_be_negative_zero_or_true_and_messages_null() -> None:
    criteria = [{"id": str(n), "title": "t", "weight": n} for n in (-4, 0, 2.5, True)]

    found = accepted(lines(row(RUBRIC, rubric=criteria, reference_answers=[], messages=None)))

    assert len(found) == 1


def test_each_problem_knows_its_line_and_field_and_blank_lines_count() -> None:
    raw = lines(row()) + b"\n  \n" + lines(row(id="q2", messages=[{"role": "x", "content": "y"}]))

    _, record = read(raw)

    assert isinstance(record, RejectedRecord)
    assert [(issue.line, issue.path, issue.value) for issue in record.issues] == [
        (4, "messages[0].role", '"x"')
    ]
    assert record.index == 1
    assert record.record_id == "q2"


def test_a_line_that_is_no_json_is_rejected_and_the_file_goes_on() -> None:
    raw = lines(row()) + b'{"id": }\n[1, 2]\nnull\n' + lines(row(id="q2"))

    said = errors(raw)

    assert said == [
        [],
        ["JSON parse error: Expecting value (column 8)"],
        ["Row must be a JSON object."],
        ["Row must be a JSON object."],
        [],
    ]


def test_repeated_keys_are_no_json() -> None:
    assert errors(b'{"id": "a", "id": "b"}') == [
        ['JSON parse error: The key "id" is repeated (column 1)']
    ]


def test_an_id_is_there_once_and_the_line_of_the_first_is_named() -> None:
    raw = b"\n" + lines(row(), row(id="other"), row(), row(prompt=""), row())

    found = read(raw)

    said = [
        [(issue.code, issue.message) for issue in one.issues]
        for one in found
        if isinstance(one, RejectedRecord)
    ]
    taken = ("duplicate_record_id", "`id` is already used in line 2.")
    empty = ("invalid_field_value", "`prompt` must be a non-empty string.")
    assert said == [[taken], [empty, taken], [taken]]


def test_a_rejected_row_does_not_take_its_id() -> None:
    assert errors(lines(row(prompt=""), row())) == [["`prompt` must be a non-empty string."], []]


@pytest.mark.parametrize(
    ("record_id", "said"),
    [
        ("x" * 129, "The id must be at most 128 characters, not 129."),
        ("a\nb", "The id must not have control characters."),
        (" a", "The id must not be empty or end in spaces."),
    ],
)
def test_an_id_that_cannot_be_one_of_ours_is_refused(record_id: str, said: str) -> None:
    assert errors(lines(row(id=record_id))) == [[said]]


def test_fields_that_nobody_knows_are_told_and_kept() -> None:
    (record,) = accepted(lines(row(zeta=1, alpha=2)))

    sentence = "Unknown top-level fields present (consider moving into `metadata`): alpha, zeta."
    assert warnings(record) == [("unknown_field", "alpha", sentence)]
    assert json.loads(record.payload)["row"]["zeta"] == 1


@pytest.mark.parametrize("named", ["lexam_mcq", 5, ["default_v1"]])
def test_a_policy_that_nobody_has_falls_back_and_is_told(named: Any) -> None:
    (record,) = accepted(lines(row(metadata={"policy_id": named})))

    ((code, path, message),) = warnings(record)
    assert (code, path) == ("unknown_policy", "metadata.policy_id")
    assert message.endswith("is not known: default_v1 is used.")
    assert ("policy", "default_v1") in record.facets


@pytest.mark.parametrize("named", ["prbench_v1", "default_v1", "", None])
def test_a_policy_that_is_known_or_not_named_is_not_told(named: str | None) -> None:
    (record,) = accepted(lines(row(metadata={"policy_id": named})))

    assert record.warnings == ()


def test_a_mapping_says_which_key_each_field_is_in() -> None:
    given = {"question" if key == "prompt" else key: each for key, each in row().items()}

    (record,) = accepted(lines(given), mapping={"prompt": "question"})

    assert json.loads(record.payload)["row"]["prompt"] == "How?"


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps([row(), row(id="q2")]).encode(),
        json.dumps([row()], indent=1).encode(),
        b"\xef\xbb\xbf\n [\n" + json.dumps(row()).encode() + b",\n",
    ],
)
def test_a_json_array_is_refused_with_what_to_do(raw: bytes) -> None:
    with pytest.raises(Rejected, match="write each record as an object on a line of its own"):
        read(raw)


def test_only_what_is_utf_8_is_read() -> None:
    with pytest.raises(Rejected, match="must be UTF-8"):
        read(lines(row()).decode().encode("utf-16"))


HEADS = [
    ("a.jsonl", lines(row()), True),
    ("a.txt", lines(row()), True),
    ("a.jsonl", b'{"id": "x", "task_type": "mcq"}', True),
    ("a.json", json.dumps([row()]).encode(), True),
    ("a.csv", b"id,prompt,schema_version\n1,2,legal_eval_v1", False),
    ("a.jsonl", b'{"id": "x", "task_type": "essay"}', False),
    ("a.jsonl", b'{"id": "x", "prompts": "mcq"}', False),
    ("a.jsonl", b"", False),
]


@pytest.mark.parametrize(("name", "head", "ours"), HEADS)
def test_a_file_is_recognised_by_its_version_or_its_task_types(
    name: str, head: bytes, ours: bool
) -> None:
    assert FORMAT.detect(name, head) is ours


def test_lines_are_told_apart_from_other_formats() -> None:
    assert detect("a.jsonl", lines(row())) is FORMAT


def test_after_a_hundred_thousand_listed_problems_each_row_lists_its_first() -> None:
    bad = row(RUBRIC, rubric=[1] * 120)
    raw = lines(*(dict(bad, id=str(n)) for n in range(1_005)))

    found = [one for one in read(raw) if isinstance(one, RejectedRecord)]

    assert len(found[0].issues) == 100
    assert found[0].issue_count == found[-1].issue_count == 120
    assert len(found[-1].issues) == 1


def test_a_line_longer_than_a_record_may_be_is_rejected_alone() -> None:
    raw = lines(row(prompt="x" * 1_100_000), row(id="q2"))

    first, second = read(raw)

    assert isinstance(first, RejectedRecord)
    assert [(issue.code, issue.line) for issue in first.issues] == [("record_too_large", 1)]
    assert isinstance(second, AcceptedRecord)
