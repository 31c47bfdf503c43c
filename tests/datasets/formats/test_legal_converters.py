"""Raw rows of PRBench, APEX v1 and LEXam become rows of legal_eval_v1."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.datasets.formats.legal_eval_v1.converters import CONVERTERS, convert
from tests.datasets.legal import accepted, lines

PRBENCH = {
    "task": "t-1",
    "topic": "Tenancy",
    "prompt_0": " May I leave? ",
    "response_0": "Yes.",
    "prompt_1": "How?",
    "response_1": None,
    "reference_texts_1": ["The lease.", " ", "The law."],
    "rubric": [
        {
            "id": "c-1",
            "title": "Names the date",
            "annotations": {"criteria_description": "A day.", "important_weight": 5},
        },
        {"title": "Threatens", "annotations": {"critically_detrimental_weight": -10}},
        "no criterion",
    ],
}
APEX = {
    "Task ID": 7,
    "Domain": "Legal",
    "Prompt": "Draft a letter. ",
    "Rubric JSON": json.dumps(
        {
            "criterion 1": {"description": "Names the date", "justification": "It must."},
            "criterion 2": {"description": "Is short", "weight": 2},
        }
    ),
    "File Attachments": "documents/7/lease.pdf",
}
OPEN = {"id": "q", "question_type": "open", "question": "Why?", "answer": " So. ", "course": "Law"}
CHOICE = {"id": "q", "question": "Which?", "choices": "['one', \"two\"]", "gold": 1.0, "year": 2024}


def converted(source: str, *rows: Any) -> list[dict[str, Any]]:
    found = [each.row for each in convert(lines(*rows), source)]
    return [row for row in found if row is not None]


def errors(source: str, *rows: Any) -> list[tuple[int, str]]:
    return [(each.line, text) for each in convert(lines(*rows), source) for text in each.errors]


def test_a_prbench_row_is_a_conversation_with_a_weighted_rubric() -> None:
    (row,) = converted("prbench", PRBENCH)

    asked = "Reference Text 0:\nThe lease.\n\nReference Text 1:\nThe law.\n\nHow?"
    assert row["id"] == "prbench:t-1"
    assert row["prompt"] == asked
    assert row["messages"] == [
        {"role": "user", "content": "May I leave?"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": asked},
    ]
    assert row["rubric"] == [
        {"id": "c-1", "title": "Names the date", "description": "A day.", "weight": 5.0},
        {"id": "criterion_2", "title": "Threatens", "weight": -10.0},
    ]
    assert row["metadata"]["policy_id"] == "prbench_v1"
    assert row["metadata"]["source_turns"][1]["reference_texts"] == ["The lease.", "The law."]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({}, "prbench:t-1"),
        ({"task": "", "id": "i-1"}, "prbench:i-1"),
        ({"task": None, "canary": "c-1"}, "prbench:c-1"),
        ({"task": None}, "prbench:1a06336748777d0e"),
    ],
)
def test_an_id_comes_from_the_source_or_from_a_hash_of_the_row(
    changes: dict[str, Any], named: str
) -> None:
    (row,) = converted("prbench", {**PRBENCH, **changes})

    assert row["id"] == named


def test_an_apex_row_has_its_rubric_and_its_attachment() -> None:
    (row,) = converted("apexv1", APEX)

    assert row == {
        "schema_version": "legal_eval_v1",
        "id": "apexv1:7",
        "dataset": "apexv1",
        "task_type": "rubric_qa",
        "prompt": "Draft a letter.",
        "metadata": {
            "domain": "Legal",
            "source_task_id": 7,
            "policy_id": "apexv1_extended_v1",
        },
        "attachments": [{"path": "documents/7/lease.pdf", "kind": "pdf"}],
        "rubric": [
            {"id": "criterion 1", "title": "Names the date", "description": "It must."},
            {"id": "criterion 2", "title": "Is short", "weight": 2.0},
        ],
    }


def test_lexam_rows_are_open_questions_or_choices_and_carry_their_line() -> None:
    first, second = converted("lexam", OPEN, CHOICE)

    assert first["id"] == "lexam:open:q:1"
    assert first["reference_answers"] == ["So."]
    assert first["metadata"]["policy_id"] == "lexam_oq_v1"
    assert second["id"] == "lexam:mcq:q:2"
    assert second["choices"] == [{"id": "A", "text": "one"}, {"id": "B", "text": "two"}]
    assert second["correct_choice_ids"] == ["B"]
    assert second["metadata"]["gold_index"] == 1


WRONG = [
    (
        "prbench",
        {"task": "x", "prompt_0": " "},
        "Conversion error: PRBench row has no non-empty user prompts (prompt_0..prompt_9).",
    ),
    ("prbench", {"prompt_0": 5}, "Conversion error: prompt_0 must be a string or null."),
    ("prbench", {**PRBENCH, "rubric": None}, "`rubric` must be a non-empty array."),
    ("apexv1", {**APEX, "Prompt": None}, "`prompt` must be a non-empty string."),
    (
        "apexv1",
        {**APEX, "Rubric JSON": "[1]"},
        "Conversion error: APEX `Rubric JSON` must be an object.",
    ),
    ("lexam", {**CHOICE, "gold": 5}, "Conversion error: LEXAM mcq `gold` index out of range: 5."),
    ("lexam", {**CHOICE, "gold": "1"}, "Conversion error: LEXAM mcq row missing numeric `gold`."),
    (
        "lexam",
        {**CHOICE, "choices": "__import__('os')"},
        "Conversion error: LEXAM mcq row missing parseable `choices` with >=2 options.",
    ),
    (
        "lexam",
        {**OPEN, "answer": " "},
        "Conversion error: LEXAM open question missing non-empty `answer`.",
    ),
    ("lexam", [1], "Row must be a JSON object."),
]


@pytest.mark.parametrize(("source", "raw", "said"), WRONG)
def test_a_row_that_cannot_be_converted_is_told_with_its_line(
    source: str, raw: Any, said: str
) -> None:
    assert errors(source, {}, raw)[-1] == (2, said)


def test_the_same_source_twice_is_a_duplicate() -> None:
    assert errors("apexv1", APEX, APEX) == [(2, "Duplicate id in merged output.")]


@pytest.mark.parametrize("source", CONVERTERS)
@pytest.mark.parametrize(
    "raw", [b"{", b"\xf0\x9f\x98\x80", b'{"rubric": {"a": 1}, "choices": [[[]]], "gold": 1e400}']
)
def test_hostile_rows_end_in_an_error(source: str, raw: bytes) -> None:
    assert all(each.errors for each in convert(raw, source))


def test_the_command_writes_what_reads_as_a_dataset_and_tells_what_it_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "raw.jsonl").write_bytes(lines(OPEN, {**CHOICE, "gold": 9}, CHOICE))
    to = tmp_path / "lexam.jsonl"

    with pytest.raises(SystemExit, match="1"):
        call_command("convert", str(tmp_path / "raw.jsonl"), "--from", "lexam", "--to", str(to))

    out, err = capsys.readouterr()
    assert [one.record_id for one in accepted(to.read_bytes())] == [
        "lexam:open:q:1",
        "lexam:mcq:q:3",
    ]
    assert "2 rows written, 1 left out." in out
    assert "line 2: Conversion error: LEXAM mcq `gold` index out of range: 9." in err


def test_a_file_with_no_row_to_convert_is_refused(tmp_path: Path) -> None:
    (tmp_path / "raw.jsonl").write_bytes(lines({}))

    with pytest.raises(CommandError, match="has no row of prbench"):
        call_command(
            "convert", str(tmp_path / "raw.jsonl"), "--from=prbench", f"--to={tmp_path / 'x'}"
        )

    assert not (tmp_path / "x").exists()
