"""Dataset Contract v1: what an accepted record carries, and what its document says afterwards."""

import json
from hashlib import sha256
from typing import Any

import pytest

from apps.datasets.uploading.bundles import Bundle
from tests.datasets.contract_v1 import (
    FORMAT,
    accepted,
    document,
    opened,
    raw_document,
    read,
    record,
    rejected,
)


def test_the_hash_of_a_record_is_that_of_its_canonical_json() -> None:
    raw = raw_document(
        '{ "input": {"prompt": "caf\\u00e9"}, "record_id": "q1", "tags": ["b", "a"] }'
    )

    [found] = accepted(raw)

    expected = '{"input":{"prompt":"café"},"record_id":"q1","tags":["b","a"]}'.encode()
    assert found.payload == expected
    assert found.sha256 == sha256(expected).hexdigest()
    assert found.input_sha256 == sha256('{"prompt":"café"}'.encode()).hexdigest()


def test_records_that_ask_the_same_have_the_same_input_hash() -> None:
    raw = document(record("q1", tags=["a"]), record("q2", reference={"answer": "Because."}))

    [first, second] = accepted(raw)

    assert first.input_sha256 == second.input_sha256
    assert first.sha256 != second.sha256


def test_what_is_asked_besides_the_prompt_is_part_of_the_input_hash() -> None:
    other = {"record_id": "q2", "input": {"prompt": "Why?", "context": "rain"}}

    [first, second] = accepted(document(record("q1"), other))

    assert first.input_sha256 != second.input_sha256


@pytest.mark.parametrize("number", ["123456789012345678901234567890", "18446744073709551616"])
def test_integers_beyond_64_bits_are_hashed_digit_by_digit(number: str) -> None:
    text = '{"input":{"n":%s,"prompt":"Why?"},"record_id":"%s"}'

    found = accepted(raw_document(*[text % (number, f"q{n}") for n in range(4)]))

    assert [one.payload.decode() for one in found] == [text % (number, f"q{n}") for n in range(4)]


def test_offset_and_length_give_back_the_record_as_it_was_written() -> None:
    texts = [
        json.dumps(record(f"q{n}", "Où ?", tags=["é"]), ensure_ascii=False, indent=n)
        for n in range(4)
    ]
    raw = b"\xef\xbb\xbf" + raw_document(*texts, '{"record_id": "wrong"}')

    spans = [raw[one.offset : one.offset + one.length].decode() for one in read(raw)]

    assert spans == [*texts, '{"record_id": "wrong"}']


def test_the_head_is_the_first_200_characters_on_one_line() -> None:
    [found] = accepted(document(record(prompt="First\r\nsecond\tthird\n" + "é" * 300)))

    assert found.head == "First  second third " + "é" * 180


FACETS: list[tuple[str, dict[str, Any], tuple[str, str], bool]] = [
    ("a tag", {"tags": ["ml"]}, ("tag", "ml"), True),
    ("a task type of its own", {"metadata": {"task_type": "qa"}}, ("task_type", "qa"), True),
    ("its task type alone", {"metadata": {"task_type": "qa"}}, ("task_type", "chat"), False),
    ("the document's task type", {}, ("task_type", "chat"), True),
    ("not as metadata", {"metadata": {"task_type": "a"}}, ("metadata.task_type", "a"), False),
    ("metadata", {"metadata": {"lang": "en"}}, ("metadata.lang", "en"), True),
    ("a number", {"metadata": {"level": 2}}, ("metadata.level", "2"), True),
    ("a fraction", {"metadata": {"level": 0.5}}, ("metadata.level", "0.5"), True),
    ("true", {"metadata": {"easy": True}}, ("metadata.easy", "true"), True),
    ("null", {"metadata": {"easy": None}}, ("metadata.easy", "null"), False),
    ("a list", {"metadata": {"langs": ["en"]}}, ("metadata.langs", '["en"]'), False),
    ("a long text", {"metadata": {"note": "x" * 201}}, ("metadata.note", "x" * 201), False),
    ("a long key", {"metadata": {"k" * 61: "a"}}, ("metadata." + "k" * 61, "a"), False),
]


@pytest.mark.parametrize(
    ("fields", "facet", "there"), [row[1:] for row in FACETS], ids=[row[0] for row in FACETS]
)
def test_a_record_belongs_to_slices(
    fields: dict[str, Any], facet: tuple[str, str], there: bool
) -> None:
    [found] = accepted(document(record(**fields), metadata={"task_type": "chat"}))

    assert (facet in found.facets) is there


@pytest.mark.parametrize(
    ("words", "bucket"),
    [(1, "1-20"), (20, "1-20"), (21, "21-100"), (101, "101-500"), (501, "over 500")],
)
def test_prompts_are_sliced_by_their_length_in_words(words: int, bucket: str) -> None:
    [found] = accepted(document(record(prompt=" ".join(["word"] * words))))

    assert ("length", bucket) in found.facets


def test_a_tag_given_twice_is_one_slice() -> None:
    [found] = accepted(document(record(tags=["ml", "ml"])))

    assert found.facets.count(("tag", "ml")) == 1


def test_texts_are_normalised_and_the_report_says_how_many() -> None:
    value = record("q1", "cafe\u0301", tags=["e\u0301", "é"], metadata={"cle\u0301": "x"})
    raw = document(value, record("q2"))
    found = opened(raw)

    list(found)

    assert json.loads(accepted(raw)[0].payload) == record(
        "q1", "café", tags=["é", "é"], metadata={"clé": "x"}
    )
    assert found.warnings == ["3 texts were not in Unicode NFC: stored normalised."]


def test_an_escape_followed_by_a_combining_mark_stays_what_it_is() -> None:
    raw = document(record(prompt="line\n\u0301 end"))
    found = opened(raw)

    list(found)

    assert json.loads(accepted(raw)[0].payload)["input"]["prompt"] == "line\n\u0301 end"
    assert found.warnings == []


def test_lengths_are_counted_after_normalising() -> None:
    [found] = accepted(document(record("e\u0301" * 128)))

    assert found.record_id == "é" * 128


@pytest.mark.parametrize("marks", ["\u0315\u0316", "\u0f73", "\u0344"])
def test_long_runs_of_combining_marks_are_normalised_in_no_time(marks: str) -> None:
    [found] = accepted(document(record(prompt="a" + marks * 40_000)))

    assert len(json.loads(found.payload)["input"]["prompt"]) >= 80_000


def test_when_every_record_fails_the_issues_are_still_there() -> None:
    assert [len(one.issues) for one in rejected(document({}, {}))] == [2, 2]


def test_progress_is_told_up_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    raw = document(*[record(f"q{n}") for n in range(1_200)])

    bundle = Bundle("dataset.json", raw)
    list(FORMAT.read(bundle, progress=lambda done, total: told.append((done, total))))

    assert [total for _, total in told] == [len(raw)] * len(told)
    assert sorted(told) == told
    assert (len(told), told[-1][0]) == (4, len(raw))


def test_what_is_written_reads_back_to_the_same_hashes() -> None:
    raw = document(
        record("q1", "caf\u00e9 \u0000"),
        record("q2", "Où ?", metadata={"n": 10**25, "w": 1e300}),
        record("q3", 'quotes " and \\ and \n'),
        created_at="2026-01-15T10:05:12Z",
        metadata={"owner": "Alice"},
    )
    kept = accepted(raw)

    written = b"".join(FORMAT.write(opened(raw).header, [one.payload for one in kept]))

    again = accepted(written)
    assert opened(written).header == opened(raw).header
    assert [(one.record_id, one.sha256) for one in again] == [
        (one.record_id, one.sha256) for one in kept
    ]
