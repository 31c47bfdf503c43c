"""Reading a judge's text: the cases of the conformance file, thinking, garbage, size."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.grading.rules.judging import json_object, read_judgment
from apps.grading.rules.judging.parsing import UNREADABLE, without_thinking
from apps.grading.rules.judging.shapes import (
    BINARY,
    NO_JSON,
    TEXT,
    YES_NO,
    exactly,
    number,
    one_of,
    read,
    whole_number,
)
from tests.bounds import bounded

CHECKOUT = Path(__file__).resolve().parents[4]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
FILE = SHARED / "conformance" / "legal_parse_judge.json"
CASES: list[dict[str, Any]] = json.loads(FILE.read_text()) if FILE.exists() else []


@pytest.mark.skipif(
    not CASES, reason=f"{FILE.name} is not here: set EVALHUB_SHARED to the shared folder"
)
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["text"]))
def test_a_text_is_read_as_in_the_conformance_file(case: dict[str, Any]) -> None:
    parsed = read_judgment(case["text"], 0.7)

    assert parsed.model_dump(exclude={"clamped"}) == {
        key: value for key, value in case.items() if key != "text"
    }


@pytest.mark.parametrize(
    ("text", "score", "passed"),
    [
        ('{"score": 0.7}', 0.7, True),
        ('{"score": "0.7"}', 0.7, True),
        ('{"score": 0.2, "result": 1}', 0.2, False),
        ('{"score": null, "result": 1}', 1.0, True),
        ('{"score": 0.9, "pass": false}', 0.9, False),
        ('{"score": 0.1, "pass": true}', 0.1, True),
        ('{"score": 0.9, "pass": "no"}', 0.9, True),
        ('{"result": 0.5}', 1.0, True),
        ('{"result": 0.49}', 0.0, False),
        ('{"criteria_met": true}', 1.0, True),
        ('{"criteria_met": "Met"}', 1.0, True),
        ('{"criteria_met": "not_met"}', 0.0, False),
        ('{"grade": " YES "}', 1.0, True),
        ('{"grade": "0"}', 0.0, False),
        ('{"score": "yes"}', 1.0, True),
        ('{"score": true}', 1.0, True),
        ('```json\n{"score": 1}\n```', 1.0, True),
        ('<think>{"score": 0}</think>{"score": 1}', 1.0, True),
        ('<THINKING>first {"score": 0}</Thinking> {"score": 1} done', 1.0, True),
    ],
)
def test_the_keys_are_tried_in_order_and_words_become_numbers(
    text: str, score: float, passed: bool
) -> None:
    parsed = read_judgment(text, 0.7)

    assert (parsed.score, parsed.passed, parsed.parse_error) == (score, passed, False)


@pytest.mark.parametrize("score", [7, -0.2, 1.0001])
def test_a_score_outside_of_the_scale_is_clamped_and_known_to_be(score: float) -> None:
    parsed = read_judgment(json.dumps({"score": score}), 0.7)

    assert parsed.score in (0, 1)
    assert parsed.clamped


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0.9",
        "[1]",
        '"yes"',
        "{}",
        '{"verdict": 1}',
        '{"score": NaN}',
        '{"score": 1e999}',
        '{"score": [1]}',
        '{"grade": "perhaps"}',
        'The answer says {"score": 1} and I say {"score": 0}',
        '{"score": 1',
        "[" * 100_000,
        '{"a":' * 100_000,
        "\ud800",
        json.dumps({"score": 1, "rationale": "x" * 30_000}),
        "{" * 600_000,
    ],
)
def test_what_cannot_be_read_is_no_pass(text: str) -> None:
    parsed = read_judgment(text, 0.0)

    assert parsed.parse_error
    assert (parsed.score, parsed.passed, parsed.rationale) == (0.0, False, UNREADABLE)
    assert parsed.criteria == {"overall": 0.0}


@pytest.mark.parametrize("key", ["rationale", "reason", "reasoning", "explanation"])
def test_the_reasons_are_read_by_any_of_their_names(key: str) -> None:
    assert read_judgment(json.dumps({"score": 1, key: "so"}), 0.7).rationale == "so"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>a</think>b", "b"),
        ("a<analysis>x</analysis>b<reasoning>y</reasoning>c", "abc"),
        ("<think>a<thinking>b</think>c", "c"),
        ("<think>never closed", "<think>never closed"),
        ("<thoughts>x</thoughts>", "<thoughts>x</thoughts>"),
        ("\u0130<THINK>\u0130</think>\u0130", "\u0130\u0130"),
    ],
)
def test_closed_blocks_of_thinking_are_left_out(text: str, left: str) -> None:
    assert without_thinking(text) == left


def test_thinking_that_never_ends_is_read_without_exploding() -> None:
    with bounded(20):
        json_object("<think>" * 600_000)
        json_object("<think></thinking>" * 250_000)
        json_object("```{" + "} " * 90_000)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
said = st.dictionaries(
    st.sampled_from(
        ["score", "result", "criteria_met", "grade", "pass", "rationale", "reason", "criteria"]
    ),
    json_values,
)


@given(st.text() | said.map(json.dumps) | json_values.map(repr), st.floats(0, 1))
def test_any_text_gives_a_score_from_0_to_1_or_a_parse_error(text: str, threshold: float) -> None:
    parsed = read_judgment(text, threshold)

    assert 0 <= parsed.score <= 1
    assert all(0 <= score <= 1 for score in parsed.criteria.values())
    assert parsed.criteria
    assert not (parsed.parse_error and parsed.passed)


SHAPE = {
    "criterion": exactly("accuracy"),
    "score": number(0, 2.5),
    "marks": {"tone": whole_number(1, 5), "met": BINARY},
    "pass": YES_NO,
    "label": one_of("good", "bad"),
    "rationale": TEXT,
}
GOOD: dict[str, Any] = {
    "criterion": "accuracy",
    "score": 2.5,
    "marks": {"tone": 5.0, "met": 0},
    "pass": False,
    "label": "bad",
    "rationale": "",
}


def test_a_reply_of_the_shape_is_read() -> None:
    assert read(SHAPE, json.dumps(GOOD)) == GOOD


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"criterion": "clarity"}, "something else than the text accuracy at criterion"),
        ({"score": 2.6}, "something else than a number from 0 to 2.5 at score"),
        ({"score": True}, "something else than a number from 0 to 2.5 at score"),
        ({"score": "2"}, "something else than a number from 0 to 2.5 at score"),
        ({"marks": [5]}, "no object at marks"),
        ({"marks": {"tone": 5}}, "lacks the key marks.met"),
        ({"marks": {"tone": 4.5, "met": 1}}, "a whole number from 1 to 5 at marks.tone"),
        ({"marks": {"tone": 4, "met": 2}}, "something else than 1 or 0 at marks.met"),
        ({"pass": 1}, "something else than true or false at pass"),
        ({"label": "so so"}, "something else than one of: good, bad at label"),
        ({"rationale": None}, "something else than text at rationale"),
        ({"GIVE FULL MARKS": 1}, "a key that was not asked for"),
    ],
)
def test_what_differs_from_the_shape_is_said_without_the_judges_words(
    change: dict[str, Any], complaint: str
) -> None:
    answer = read(SHAPE, json.dumps({**GOOD, **change}))

    assert isinstance(answer, str)
    assert complaint in answer
    assert "GIVE" not in answer


def test_a_reply_that_is_no_object_is_not_of_any_shape() -> None:
    assert read(SHAPE, "7") == NO_JSON
