"""Valid JSON, with and without a schema, from people who mean no good."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from apps.grading.rules import ValidJson, grade_safely
from apps.grading.rules.answers.structure import IsJson
from tests.bounds import bounded
from tests.grading.subjects import answered

PERSON = {
    "type": "object",
    "properties": {"age": {"type": "integer", "minimum": 0}},
    "required": ["age"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ('{"a": [1, 2]}', 1.0),
        (" null\n", 1.0),
        ('"text"', 1.0),
        ("", 0.0),
        ("{'a': 1}", 0.0),
        ('{"a": 1} trailing', 0.0),
        ("NaN", 0.0),
        ("[1e999]", 0.0),
        ('"\\ud800"', 0.0),
        ('"\ud800"', 0.0),
        ('```json\n{"a": 1}\n```', 0.0),
        ("[" * 100_000, 0.0),
        ("[" * 101 + "]" * 101, 0.0),
        ("[" * 100 + "]" * 100, 1.0),
        ("[" + "1," * 500_000 + "1]", 0.0),
    ],
)
def test_only_json_within_the_bounds_is_valid(answer: str, value: float) -> None:
    score = ValidJson(name="json").grade(answered(answer))

    assert score.value == value
    assert bool(score.reason) == (value == 0.0)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        (" null\n", 1.0),
        ("1e999", 1.0),
        ("-0", 1.0),
        ('"\\ud800"', 1.0),
        ("9" * 5_000, 1.0),
        ('{"a": 1, "a": 2}', 1.0),
        ('["]", "\\"]"]', 1.0),
        ("[" * 100 + "]" * 100, 1.0),
        ("", 0.0),
        ("NaN", 0.0),
        ("-Infinity", 0.0),
        ("\ufeff1", 0.0),
        ("\u00a01", 0.0),
        ("01", 0.0),
        ("{'a': 1}", 0.0),
        ('"\n"', 0.0),
        ("```json\n1\n```", 0.0),
        ("[" * 101 + "]" * 101, 0.0),
        ("[" * 1_000_000, 0.0),
        ('"' * 999_999, 0.0),
    ],
)
def test_is_json_is_what_javascript_takes_within_the_bounds(answer: str, value: float) -> None:
    with bounded():
        score = IsJson(name="json").grade(answered(answer))

    assert score.value == value
    assert [check.text for check in score.checks] == [
        "Output is valid JSON" if value else "Output is not valid JSON"
    ]


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    st.booleans(),
)
def test_what_is_written_as_json_is_json(document: Any, plain: bool) -> None:
    text = json.dumps(document, ensure_ascii=plain)

    assert IsJson(name="json").grade(answered(text)).value == 1.0


@pytest.mark.parametrize("fence", ['```json\n{"a": 1}\n```', '```\n{"a": 1}```', '{"a": 1}'])
def test_a_fence_is_allowed_where_the_rule_says_so(fence: str) -> None:
    score = ValidJson(name="json", allow_fence=True).grade(answered(fence))

    assert score.value == 1.0


@pytest.mark.parametrize(
    ("schema", "answer", "reason"),
    [
        (PERSON, '{"age": 3}', ""),
        (PERSON, '{"age": -1}', "$.age: -1 is less than the minimum of 0"),
        (PERSON, "{}", "$: 'age' is a required property"),
        (PERSON, '{"age": 1, "x": 2}', "$: 'x' is not one of the allowed properties"),
        ({"pattern": "^a+$"}, '"aab"', "$: 'aab' does not match '^a+$'"),
        ({"pattern": "^a+$"}, '"aa"', ""),
        (
            {"patternProperties": {"^n": {"type": "null"}}},
            '{"n1": 1}',
            "$.n1: 1 is not of type 'null'",
        ),
        (
            {"patternProperties": {"^n": {}}, "additionalProperties": {"type": "null"}},
            '{"n1": 1, "m": 1}',
            "$.m: 1 is not of type 'null'",
        ),
        ({"uniqueItems": True}, '[1, true, "1", [1]]', ""),
        ({"uniqueItems": True}, '[{"a": 1}, {"a": 1.0}]', "$: has items that are not unique"),
        ({"$defs": {"n": {"type": "null"}}, "items": {"$ref": "#/$defs/n"}}, "[null]", ""),
        ({"$anchor": "top", "items": {"$ref": "#top"}, "type": "array"}, "[[[]]]", ""),
    ],
)
def test_json_is_held_against_its_schema(schema: dict[str, Any], answer: str, reason: str) -> None:
    rule = ValidJson(name="json", json_schema=schema)

    score = rule.grade(answered(answer))

    assert (score.value, score.reason) == (0.0 if reason else 1.0, reason)


def _nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


@pytest.mark.parametrize(
    ("schema", "cause"),
    [
        ({"type": "no such type"}, "not a JSON Schema"),
        ({"$ref": "https://example.org/schema.json"}, "is not local"),
        ({"$ref": "file:///etc/passwd"}, "is not local"),
        ({"items": {"$ref": "#/$defs/none"}}, "points nowhere"),
        ({"$id": "https://example.org/", "$ref": "other"}, "$id is not supported"),
        ({"$dynamicRef": "#a"}, "$dynamicRef is not supported"),
        ({"unevaluatedProperties": False}, "unevaluatedProperties is not supported"),
        ({"pattern": "(?=a)"}, "RE2 refuses"),
        ({"properties": {"a": {"patternProperties": {"(": {}}}}}, "RE2 refuses"),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "$schema must be"),
        (_nested(31), "nested deeper than 30 levels"),
        (_nested(5_000), "nested deeper than 30 levels"),
        ({"enum": ["x" * 100_000]}, "more than 100,000 characters"),
        ({"const": float("nan")}, "not JSON"),
        ({"const": "\ud800"}, "not JSON"),
        ({"const": {1: 2}}, "not JSON"),
    ],
)
def test_a_schema_that_cannot_be_used_safely_is_refused_when_it_is_saved(
    schema: dict[str, Any], cause: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        ValidJson(name="json", json_schema=schema)

    assert cause in str(caught.value)


def test_a_catastrophic_pattern_in_a_schema_does_not_explode() -> None:
    rule = ValidJson(name="json", json_schema={"pattern": "^(a+)+$"})

    with bounded():
        score = rule.grade(answered(json.dumps("a" * 100_000 + "!")))

    assert score.value == 0.0


def test_an_exploding_schema_is_an_error_after_seconds_and_no_value() -> None:
    bomb: dict[str, Any] = {
        f"l{level}": {"allOf": [{"$ref": f"#/$defs/l{level + 1}"}] * 2} for level in range(60)
    }
    rule = ValidJson(name="json", json_schema={"$defs": {**bomb, "l60": {}}, "$ref": "#/$defs/l0"})

    with bounded():
        score = rule.grade(answered("1"))

    assert (score.value, score.verdict) == (None, "error")
    assert "took over 2 s" in score.reason


def test_a_schema_that_refers_to_itself_without_end_is_an_error() -> None:
    rule = ValidJson(name="json", json_schema={"$ref": "#"})

    score = grade_safely(rule, answered("1"))

    assert (score.value, score.verdict) == (None, "error")
    assert "nested too deeply" in score.reason


def test_many_unlike_items_are_compared_without_exploding() -> None:
    items = [str(n) if n % 2 else n for n in range(100_000)]
    rule = ValidJson(name="json", json_schema={"uniqueItems": True})

    with bounded():
        score = rule.grade(answered(json.dumps(items)))

    assert score.value == 1.0


def test_at_most_five_errors_are_kept_each_clipped() -> None:
    rule = ValidJson(name="json", json_schema={"items": {"type": "null"}})

    score = rule.grade(answered(json.dumps(["x\0" * 1_000] * 100)))

    errors = (score.raw or {})["errors"]
    assert len(errors) == 5
    assert all(len(error["message"]) <= 301 and "\0" not in error["message"] for error in errors)
