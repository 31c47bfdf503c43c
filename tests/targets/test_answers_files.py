"""Answers files: one answer a record, prefilled responses of candidates, or one mapping."""

import json
from typing import Any

import pytest

from apps.targets.adapters import AnswersError, read_answers, read_answers_file


def prefilled(example_id: Any = "a", candidate_name: Any = "gpt", response_text: Any = "1") -> Any:
    return {
        "example_id": example_id,
        "candidate_name": candidate_name,
        "response_text": response_text,
    }


def lines(*rows: Any) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.mark.parametrize("spell", [lines, lambda *rows: json.dumps(rows, indent=1).encode()])
def test_prefilled_responses_of_one_candidate_are_read_as_lines_or_as_json(spell: Any) -> None:
    raw = b"\xef\xbb\xbf" + spell(
        prefilled("a", response_text="1"), prefilled("b", response_text="")
    )

    assert read_answers(raw) == {"a": "1", "b": ""}
    assert read_answers_file(raw).prefilled


@pytest.mark.parametrize("spell", [lines, lambda *rows: json.dumps(rows, indent=1).encode()])
def test_our_own_answers_are_read_as_lines_or_as_json(spell: Any) -> None:
    raw = spell({"record_id": "a", "response": "1"})

    assert read_answers(raw) == {"a": "1"}
    assert not read_answers_file(raw).prefilled


@pytest.mark.parametrize("indent", [None, 2])
def test_one_object_of_texts_by_record_is_read(indent: int | None) -> None:
    raw = json.dumps({"a": "1", "record_id": "2"}, indent=indent).encode()

    assert read_answers(raw) == {"a": "1", "record_id": "2"}
    assert read_answers_file(raw).prefilled


def test_of_several_candidates_one_has_to_be_named() -> None:
    raw = lines(prefilled(candidate_name="gpt"), prefilled(candidate_name="claude"))

    with pytest.raises(AnswersError, match="of 2 candidates, name one: gpt, claude"):
        read_answers(raw)
    with pytest.raises(AnswersError, match="no candidate llama: gpt, claude"):
        read_answers(raw, "llama")
    assert read_answers(raw, "claude") == {"a": "1"}


def test_a_long_list_of_candidates_is_cut() -> None:
    raw = lines(*(prefilled(candidate_name=f"m{number}") for number in range(13)))

    with pytest.raises(AnswersError, match=r"m8, m9, … \(\+3 more\)"):
        read_answers(raw)


def test_a_file_without_candidates_has_none_to_name() -> None:
    with pytest.raises(AnswersError, match="names no candidates"):
        read_answers(lines({"record_id": "a", "response": "1"}), "gpt")


REQUIRED = (
    "Invalid prefilled response row at line 3: `example_id` and `candidate_name` are required."
)
WRONG = [
    (prefilled(example_id=" "), REQUIRED),
    (prefilled(candidate_name=None), REQUIRED),
    ({"example_id": "b", "response_text": "x"}, REQUIRED),
    (
        prefilled("b", response_text=5),
        "Invalid prefilled response row at line 3: `response_text` must be a string.",
    ),
    (
        prefilled("a"),
        "Duplicate prefilled response for example_id=a, candidate_name=gpt at line 3.",
    ),
    (["b"], "Invalid prefilled response row at line 3: must be an object."),
]


@pytest.mark.parametrize(("row", "said"), WRONG)
def test_a_prefilled_row_that_is_none_is_named_by_its_line(row: Any, said: str) -> None:
    with pytest.raises(AnswersError) as told:
        read_answers(lines(prefilled("a")) + b"\n" + lines(row))

    assert str(told.value) == said


def test_a_prefilled_line_that_is_no_json_is_named() -> None:
    with pytest.raises(AnswersError, match="Invalid JSON in prefilled responses at line 2: "):
        read_answers(lines(prefilled("a")) + b"{nope\n")


def test_a_key_that_is_repeated_is_an_error() -> None:
    with pytest.raises(AnswersError, match="A key is repeated"):
        read_answers(b'{"a": "1", "a": "2"}')


@pytest.mark.parametrize(
    "raw",
    [b"{", b"[]x", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 50_000, b'"a"', b"{}", b"[5]", b"NaN"],
)
def test_whatever_is_no_answers_file_ends_in_a_sentence(raw: bytes) -> None:
    with pytest.raises(AnswersError, match="Line 1: write a JSON object with record_id"):
        read_answers(raw)


@pytest.mark.parametrize("raw", [b"", b"\n \n", b"[]"])
def test_an_empty_file_has_no_answers(raw: bytes) -> None:
    assert read_answers(raw) == {}
