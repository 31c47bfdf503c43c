"""Dataset Contract v1: the code and the path of every wrong field, in the contract's words."""

from typing import Any

import pytest

from tests.datasets.contract_v1 import accepted, document, issues, record, said

LONG_TEXT = 200_000
FIELDS: list[tuple[str, Any, str, str, str]] = [
    # what is wrong, the record, code, path, message
    ("no object", 7, "invalid_field_type", "", "the record must be an object"),
    ("a null", None, "invalid_field_type", "", "the record must be an object"),
    ("a list", [], "invalid_field_type", "", "the record must be an object"),
    (
        "no record_id",
        {"input": {"prompt": "Why?"}},
        "missing_required_field",
        ".record_id",
        "record_id is required",
    ),
    (
        "a number for record_id",
        {**record(), "record_id": 1},
        "invalid_field_type",
        ".record_id",
        "record_id must be a string",
    ),
    (
        "an empty record_id",
        record(""),
        "value_out_of_range",
        ".record_id",
        "record_id must be at least 1 character long",
    ),
    (
        "a long record_id",
        record("x" * 129),
        "string_too_long",
        ".record_id",
        "record_id must be at most 128 characters long, not 129",
    ),
    ("no input", {"record_id": "q1"}, "missing_required_field", ".input", "input is required"),
    (
        "a text for input",
        {"record_id": "q1", "input": "Why?"},
        "invalid_field_type",
        ".input",
        "input must be an object",
    ),
    (
        "no prompt",
        {"record_id": "q1", "input": {}},
        "missing_required_field",
        ".input.prompt",
        "input.prompt is required",
    ),
    (
        "a number for prompt",
        {"record_id": "q1", "input": {"prompt": 3}},
        "invalid_field_type",
        ".input.prompt",
        "input.prompt must be a string",
    ),
    (
        "an empty prompt",
        record(prompt=""),
        "value_out_of_range",
        ".input.prompt",
        "input.prompt must be at least 1 character long",
    ),
    (
        "a long prompt",
        record(prompt="x" * (LONG_TEXT + 1)),
        "string_too_long",
        ".input.prompt",
        "input.prompt must be at most 200,000 characters long, not 200,001",
    ),
    (
        "null for reference",
        record(reference=None),
        "invalid_field_type",
        ".reference",
        "reference must be an object",
    ),
    (
        "a list for answer",
        record(reference={"answer": []}),
        "invalid_field_type",
        ".reference.answer",
        "reference.answer must be a string",
    ),
    (
        "null for answer",
        record(reference={"answer": None}),
        "invalid_field_type",
        ".reference.answer",
        "reference.answer must be a string",
    ),
    (
        "a long answer",
        record(reference={"answer": "x" * (LONG_TEXT + 1)}),
        "string_too_long",
        ".reference.answer",
        "reference.answer must be at most 200,000 characters long, not 200,001",
    ),
    ("a text for tags", record(tags="ml"), "invalid_field_type", ".tags", "tags must be an array"),
    ("null for tags", record(tags=None), "invalid_field_type", ".tags", "tags must be an array"),
    (
        "many tags",
        record(tags=["ml"] * 33),
        "value_out_of_range",
        ".tags",
        "tags must have at most 32 items, not 33",
    ),
    (
        "a number among tags",
        record(tags=["ml", 5]),
        "invalid_field_type",
        ".tags[1]",
        "tags[1] must be a string",
    ),
    (
        "an empty tag",
        record(tags=["", "ml"]),
        "value_out_of_range",
        ".tags[0]",
        "tags[0] must be at least 1 character long",
    ),
    (
        "a long tag",
        record(tags=["ml", "x", "y" * 65]),
        "string_too_long",
        ".tags[2]",
        "tags[2] must be at most 64 characters long, not 65",
    ),
    (
        "a list for expected",
        record(expected=[]),
        "invalid_field_type",
        ".expected",
        "expected must be an object",
    ),
    (
        "an unknown field in expected",
        record(expected={"max_cost": 1}),
        "unsupported_field",
        ".expected.max_cost",
        "expected.max_cost is not a field of this format",
    ),
    (
        "a latency of 0",
        record(expected={"max_latency_ms": 0}),
        "value_out_of_range",
        ".expected.max_latency_ms",
        "expected.max_latency_ms must be at least 1",
    ),
    (
        "a latency of over two minutes",
        record(expected={"max_latency_ms": 120_001}),
        "value_out_of_range",
        ".expected.max_latency_ms",
        "expected.max_latency_ms must be at most 120,000",
    ),
    (
        "a latency beyond 64 bits",
        record(expected={"max_latency_ms": 10**30}),
        "value_out_of_range",
        ".expected.max_latency_ms",
        "expected.max_latency_ms must be at most 120,000",
    ),
    (
        "a latency with a fraction",
        record(expected={"max_latency_ms": 2000.5}),
        "invalid_field_type",
        ".expected.max_latency_ms",
        "expected.max_latency_ms must be an integer",
    ),
    (
        "true for a latency",
        record(expected={"max_latency_ms": True}),
        "invalid_field_type",
        ".expected.max_latency_ms",
        "expected.max_latency_ms must be an integer",
    ),
    (
        "a text for a latency",
        record(expected={"max_latency_ms": "2000"}),
        "invalid_field_type",
        ".expected.max_latency_ms",
        "expected.max_latency_ms must be an integer",
    ),
    (
        "null for a latency",
        record(expected={"max_latency_ms": None}),
        "invalid_field_type",
        ".expected.max_latency_ms",
        "expected.max_latency_ms must be an integer",
    ),
    (
        "a text for criteria",
        record(expected={"required_criteria": "accuracy"}),
        "invalid_field_type",
        ".expected.required_criteria",
        "expected.required_criteria must be an array",
    ),
    (
        "an unknown criterion",
        record(expected={"required_criteria": ["accuracy", "wit"]}),
        "invalid_enum_value",
        ".expected.required_criteria[1]",
        "expected.required_criteria[1] must be one of "
        "accuracy, clarity, reasoning, factuality, overall",
    ),
    (
        "a list among criteria",
        record(expected={"required_criteria": [["accuracy"]]}),
        "invalid_field_type",
        ".expected.required_criteria[0]",
        "expected.required_criteria[0] must be a string",
    ),
    (
        "a list for metadata",
        record(metadata=[]),
        "invalid_field_type",
        ".metadata",
        "metadata must be an object",
    ),
    (
        "null for metadata",
        record(metadata=None),
        "invalid_field_type",
        ".metadata",
        "metadata must be an object",
    ),
    (
        "metadata over 8 KB",
        record(metadata={"note": "x" * 8_182}),
        "record_too_large",
        ".metadata",
        "metadata must be at most 8,192 bytes as compact JSON, not 8,193",
    ),
    (
        "metadata of six levels",
        record(metadata={"a": {"b": {"c": [{"d": []}]}}}),
        "value_out_of_range",
        ".metadata",
        "metadata must be at most 5 levels deep",
    ),
    (
        "an unknown field",
        record(promt="Why?"),
        "unsupported_field",
        ".promt",
        "promt is not a field of this format",
    ),
    (
        "an unknown field with a name of several words",
        {**record(), "my field": 1},
        "unsupported_field",
        '["my field"]',
        '["my field"] is not a field of this format',
    ),
    (
        "a record over 256 KB",
        record(reference={"facts": "x" * (256 * 1024)}),
        "record_too_large",
        "",
        "the record must be at most 262,144 bytes as compact JSON, not 262,213",
    ),
]


@pytest.mark.parametrize(
    ("wrong", "code", "path", "message"),
    [row[1:] for row in FIELDS],
    ids=[row[0] for row in FIELDS],
)
def test_a_wrong_field_is_named_with_code_path_and_message(
    wrong: Any, code: str, path: str, message: str
) -> None:
    raw = document(record("first"), wrong)

    found = issues(raw)

    assert said(found) == [(code, f"records[1]{path}", message)]
    assert [found[0].index, found[0].severity] == [1, "error"]
    assert [one.record_id for one in accepted(raw)] == ["first"]
