"""Dataset Contract v1: texts, numbers, ids and limits of a record, and what is wrong with it."""

import json
from typing import Any

import pytest

from tests.datasets.contract_v1 import (
    accepted,
    document,
    issues,
    raw_document,
    record,
    rejected,
    said,
)

LONG_TEXT = 200_000
TEXTS: list[tuple[str, str, str, str]] = [
    # what is wrong, the record as JSON text, path, message
    (
        "a null byte",
        r'{"record_id": "q1", "input": {"prompt": "a\u0000"}}',
        "input.prompt",
        "input.prompt must not contain the control character U+0000",
    ),
    (
        "an unpaired surrogate",
        r'{"record_id": "q1", "input": {"prompt": "\ud83d alone"}}',
        "input.prompt",
        "input.prompt must not contain the unpaired surrogate U+D83D",
    ),
    (
        "surrogates the wrong way round",
        r'{"record_id": "q1", "input": {"prompt": "\ude00\ud83d"}}',
        "input.prompt",
        "input.prompt must not contain the unpaired surrogate U+DE00",
    ),
    (
        "a backspace",
        r'{"record_id": "q1", "input": {"prompt": "Why?"}, "tags": ["ml", "a\b"]}',
        "tags[1]",
        "tags[1] must not contain the control character U+0008",
    ),
    (
        "a form feed",
        r'{"record_id": "q1", "input": {"prompt": "Why?"}, "reference": {"answer": "\f"}}',
        "reference.answer",
        "reference.answer must not contain the control character U+000C",
    ),
    (
        "a bare DEL",
        '{"record_id": "q1", "input": {"prompt": "Why\x7f?"}}',
        "input.prompt",
        "input.prompt must not contain the control character U+007F",
    ),
    (
        "a bare C1 character",
        '{"record_id": "q1", "input": {"prompt": "Why\x85?"}}',
        "input.prompt",
        "input.prompt must not contain the control character U+0085",
    ),
    (
        "a noncharacter",
        '{"record_id": "q1", "input": {"prompt": "Why\uffff?"}}',
        "input.prompt",
        "input.prompt must not contain the noncharacter U+FFFF",
    ),
    (
        "an escaped noncharacter",
        r'{"record_id": "q1", "input": {"prompt": "\ufffe"}}',
        "input.prompt",
        "input.prompt must not contain the noncharacter U+FFFE",
    ),
    (
        "a control character in a key",
        r'{"record_id": "q1", "input": {"prompt": "Why?"}, "metadata": {"a\u0001": 1}}',
        r'metadata["a\u0001"]',
        r'metadata["a\u0001"] must not contain the control character U+0001',
    ),
    (
        "an unpaired surrogate in a key, deep down",
        r'{"record_id": "q1", "input": {"prompt": "Why?", "context": [{"\udc00": []}]}}',
        r'input.context[0]["\udc00"]',
        r'input.context[0]["\udc00"] must not contain the unpaired surrogate U+DC00',
    ),
]


@pytest.mark.parametrize(
    ("text", "path", "message"), [row[1:] for row in TEXTS], ids=[row[0] for row in TEXTS]
)
def test_a_forbidden_character_is_an_invalid_encoding(text: str, path: str, message: str) -> None:
    raw = raw_document(json.dumps(record("first")), text)

    found = issues(raw)

    assert said(found) == [("invalid_encoding", f"records[1].{path}", message)]


def test_a_forbidden_record_id_is_not_given_as_the_record_s_name() -> None:
    raw = raw_document(r'{"record_id": "a\u0000", "input": {"prompt": "Why?"}}')

    [found] = rejected(raw)

    assert (found.record_id, found.issues[0].path) == (None, "records[0].record_id")


@pytest.mark.parametrize(
    "text",
    [
        r"tab\t, line feed\n and carriage return\r",
        r"a pair of surrogates \ud83d\ude00",
        r"a backslash before a u: \\u0000, \\b and \\f",
        r"a quote \" and \u0022",
        r"no-break\u00a0space",
    ],
)
def test_what_only_looks_forbidden_is_accepted(text: str) -> None:
    raw = raw_document(f'{{"record_id": "q1", "input": {{"prompt": "{text}"}}}}')

    [found] = accepted(raw)

    assert json.loads(found.payload)["input"]["prompt"] == json.loads(f'"{text}"')


NUMBERS = [
    ('"metadata": {"weight": 1e999}', "metadata.weight"),
    ('"metadata": {"weight": -1e999}', "metadata.weight"),
    ('"reference": {"values": [1, 2e400]}', "reference.values[1]"),
    ('"expected": {"max_latency_ms": 1e999}', "expected.max_latency_ms"),
    ('"tags": 1e999', "tags"),
    ('"metadata": {"weight": ' + "9" * 400 + "}", "metadata.weight"),
    ('"metadata": {"weight": ' + "9" * 5_000 + "}", "metadata.weight"),
]


@pytest.mark.parametrize(("field", "path"), NUMBERS)
def test_a_number_too_large_for_any_field_fails_its_record_alone(field: str, path: str) -> None:
    raw = raw_document(
        f'{{"record_id": "q1", "input": {{"prompt": "Why?"}}, {field}}}',
        json.dumps(record("q2")),
    )

    found = issues(raw)

    sentence = f"{path} is too large a number: 1.8e308 is the limit"
    assert said(found) == [("value_out_of_range", f"records[0].{path}", sentence)]
    assert [one.record_id for one in accepted(raw)] == ["q2"]


def test_all_that_is_wrong_with_a_record_is_listed() -> None:
    wrong = {
        "record_id": 5,
        "input": {},
        "tags": [""],
        "expected": {"max_latency_ms": 0, "required_criteria": ["wit"]},
        "notes": "",
    }

    found = issues(document(wrong))

    assert sorted(issue.path.removeprefix("records[0].") for issue in found) == [
        "expected.max_latency_ms",
        "expected.required_criteria[0]",
        "input.prompt",
        "notes",
        "record_id",
        "tags[0]",
    ]


def test_a_hundred_issues_are_listed_and_all_are_counted() -> None:
    wrong = record() | {f"field{n}": n for n in range(250)}
    wrong["expected"] = {"required_criteria": ["wit"] * 300}

    [found] = rejected(document(wrong))

    assert (len(found.issues), found.issue_count) == (100, 550)


def test_a_later_record_may_not_repeat_a_record_id() -> None:
    raw = document(record("q1"), record("q2"), record("q1", "What?"), record("q1"))

    found = issues(raw)

    sentence = "record_id is already used by records[0]"
    assert said(found) == [
        ("duplicate_record_id", "records[2].record_id", sentence),
        ("duplicate_record_id", "records[3].record_id", sentence),
    ]
    assert [one.index for one in accepted(raw)] == [0, 1]


def test_the_id_of_a_record_that_failed_is_free() -> None:
    raw = document(record("q1", tags="ml"), record("q1"), record("q1"))

    found = accepted(raw)

    assert [one.index for one in found] == [1]
    assert issues(raw)[1].message == "record_id is already used by records[1]"


def test_ids_that_differ_only_in_their_unicode_form_are_the_same() -> None:
    raw = document(record("café"), record("cafe\u0301"))

    found = issues(raw)

    assert [(issue.code, issue.record_id) for issue in found] == [("duplicate_record_id", "café")]


LIMITS = [
    ("the longest record_id", record("x" * 128)),
    ("the longest prompt", record(prompt="x" * LONG_TEXT)),
    ("the longest prompt outside the basic plane", record(prompt="x" * 1_000 + "😀" * 60_000)),
    ("the longest answer", record(reference={"answer": "x" * LONG_TEXT})),
    ("an empty answer", record(reference={"answer": ""})),
    ("the most tags", record(tags=["t" * 64] * 32)),
    ("no tags", record(tags=[])),
    ("the shortest latency", record(expected={"max_latency_ms": 1})),
    ("the longest latency", record(expected={"max_latency_ms": 120_000})),
    ("no expectation", record(expected={"required_criteria": []})),
    ("a criterion twice", record(expected={"required_criteria": ["overall", "overall"]})),
    ("metadata of five levels", record(metadata={"a": {"b": {"c": [{"d": 1}]}}})),
    ("metadata of 8 KB", record(metadata={"note": "x" * 8_181})),
    ("empty metadata", record(metadata={})),
    ("more in the input", record() | {"input": {"prompt": "Why?", "context": [{"a": None}]}}),
    ("more in the reference", record(reference={"facts": [1, 2.5, None, {"b": True}]})),
    ("an integer beyond 64 bits", record(metadata={"n": 123456789012345678901234567890})),
    ("the largest float", record(metadata={"n": 1.7976931348623157e308})),
]


@pytest.mark.parametrize("value", [row[1] for row in LIMITS], ids=[row[0] for row in LIMITS])
def test_what_keeps_the_limits_is_accepted_as_it_is(value: dict[str, Any]) -> None:
    raw = document(record("first"), {**value, "record_id": value["record_id"] or "q"})

    found = accepted(raw)

    assert len(found) == 2
    assert json.loads(found[1].payload) == value


def test_a_record_of_exactly_256_kb_is_accepted_however_it_is_spaced() -> None:
    bare = len(json.dumps(record(reference={"facts": ""}), separators=(",", ":")))
    value = record(reference={"facts": "é" * ((256 * 1024 - bare) // 2)})
    raw = raw_document(json.dumps(value, indent=40))

    [found] = accepted(raw)

    assert 256 * 1024 - 1 <= len(found.payload) <= 256 * 1024


def test_the_offending_value_is_shown_clipped() -> None:
    raw = document(record(tags="ml"), record("q2", tags=["x" * 5_000]), {"record_id": "q3"})

    shown = [issue.value for issue in issues(raw)]

    assert shown[0] == '"ml"'
    assert (len(shown[1]), shown[1][-1]) == (200, "…")
    assert shown[2] == ""


def test_a_very_long_key_is_clipped_in_the_path() -> None:
    raw = document({**record(), "k" * 5_000: 1})

    [found] = issues(raw)

    assert len(found.path) < 300
