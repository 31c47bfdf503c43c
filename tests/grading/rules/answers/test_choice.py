"""Multiple choice: which option an answer names, and what the original grader said."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.grading.contracts import Score, Subject
from apps.grading.rules.answers.choice import MultipleChoice, normalised_id, read_reply, selected_id

CHECKOUT = Path(__file__).parents[4]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
CASES = SHARED / "conformance" / "legal_mcq.json"
RULE = MultipleChoice(name="choice")


def question(response: str, *correct: str, choices: tuple[str, ...] = ()) -> Subject:
    return Subject(
        response=response,
        choices=tuple({"id": each, "text": f"Option {each}"} for each in choices),
        correct_choice_ids=correct,
    )


def said(score: Score, key: str) -> Any:
    assert score.raw is not None
    return score.raw[key]


def _cases() -> list[Any]:
    return list(json.loads(CASES.read_bytes())) if CASES.is_file() else []


@pytest.mark.skipif(not CASES.is_file(), reason="set EVALHUB_SHARED to the shared folder")
@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["text"])
def test_each_answer_is_graded_as_the_original_graded_it(case: dict[str, Any]) -> None:
    score = RULE.grade(question(case["text"], *case["expected"]))

    if "exception" in case:  # the original crashes on it; for us the answer is unreadable
        assert (score.value, said(score, "parse_error")) == (0.0, True)
        return
    assert (score.value, score.verdict == "pass") == (case["score"], case["passed"])
    assert score.reason == case["rationale"]
    assert said(score, "parse_error") is case["parse_error"]
    assert said(score, "selected") == case["selected"]
    assert said(score, "expected") == case["expected"]
    assert said(score, "verifier") == "exact_match_v1"


@pytest.mark.parametrize("text", ["[1]", '["C"]', '"C"', "3", "null", "true", "[[]]"])
def test_json_that_is_no_object_is_a_zero_with_the_reason(text: str) -> None:
    score = RULE.grade(question(text, "C"))

    assert (score.value, score.verdict, said(score, "parse_error")) == (0.0, "fail", True)
    assert score.reason.endswith("Parse error: candidate output was not a JSON object.")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "C",
        "{",
        "}{",
        '{"answer": "C"',
        '{"answer": NaN}',
        "\ud800",
        '{"answer": "\ud800"}',
        "[" * 200_000,
        '{"answer":' * 40_000,
        '{"answer": "C", "more": ' + "[" * 500 + "]" * 500 + "}",
        "{" * 100_000 + "}" * 100_000,
    ],
    ids=range(13),
)
def test_what_is_no_json_within_bounds_is_a_zero_with_the_reason(text: str) -> None:
    score = RULE.grade(question(text, "C"))

    assert (score.value, said(score, "parse_error")) == (0.0, True)
    assert score.reason.startswith("Failed to parse JSON candidate answer. | Selected=(none)")


def test_words_around_the_json_are_passed_over() -> None:
    score = RULE.grade(question('Well: {"answer": "C", "why": {"a": 1}} - done.', "C"))

    assert score.value == 1.0


@pytest.mark.parametrize(
    ("text", "read"),
    [("c", "C"), (" C. ", "C"), ("(C)", "C"), ("C) text", "C"), ("**C**", "C"), ("12-b", "12")],
)
def test_an_id_is_read_up_to_its_first_mark(text: str, read: str) -> None:
    assert normalised_id(text) == read


def test_what_names_no_option_is_shown_as_it_was_said() -> None:
    assert selected_id("Option C", ["A", "C"]) == "Option C"
    assert selected_id("...", ["A", "C"]) == "..."


def test_an_option_is_shown_by_the_id_of_the_record() -> None:
    score = RULE.grade(question('{"answer": "(A)"}', "b", choices=("a", "b")))

    assert score.reason == "Selected=a; expected=['b']"


@pytest.mark.parametrize(
    ("answer", "value"), [("q-1", 1.0), ("Q-1", 1.0), ("q-2", 0.0), ("q", 0.0), ("q_1", 0.0)]
)
def test_ids_that_begin_alike_are_compared_whole(answer: str, value: float) -> None:
    asked = question(json.dumps({"answer": answer}), "q-1", choices=("q-1", "q-2"))

    assert RULE.grade(asked).value == value


@pytest.mark.parametrize("answer", ["!", "", "  ", "#)"])
def test_a_mark_alone_is_no_option_even_where_an_option_is_a_mark(answer: str) -> None:
    asked = question(json.dumps({"answer": answer}), "#", choices=("#", "A"))

    assert RULE.grade(asked).value == 0.0


def test_a_mark_that_is_an_option_can_be_named() -> None:
    assert RULE.grade(question('{"answer": "#"}', "#", choices=("#", "?"))).value == 1.0


def test_a_record_without_correct_choices_is_left_to_the_other_rules() -> None:
    score = RULE.grade(question("Whatever."))

    assert (score.value, score.verdict, RULE.when_missing) == (None, "skip", "skip")
    assert score.reason == "The record names no correct choice."


def test_what_the_answer_must_not_be_can_be_asked_with_negate() -> None:
    rule = MultipleChoice(name="choice", negate=True)

    assert rule.grade(question('{"answer": "C"}', "C")).value == 0.0
    assert rule.grade(question('{"answer": "A"}', "C")).value == 1.0


@pytest.mark.parametrize("answer", ["I pick A", '["A"]', "", "{}", '{"answer": 7}'])
def test_what_cannot_be_read_is_a_zero_also_with_negate(answer: str) -> None:
    rule = MultipleChoice(name="choice", negate=True)

    score = rule.grade(question(answer, "C"))

    assert (score.value, score.verdict) == (0.0, "fail")
    assert score.reason == RULE.grade(question(answer, "C")).reason
    assert [check.passed for check in score.checks] == [False]


def test_a_long_reasoning_is_clipped() -> None:
    score = RULE.grade(question(json.dumps({"answer": "C", "reasoning": "x" * 100_000}), "C"))

    assert score.value == 1.0
    assert len(score.reason) < 3_000


@given(
    st.text()
    | st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["answer", "reasoning", "x"]), inner, max_size=3)
        ),
    ).map(json.dumps),
    st.lists(st.text(), max_size=4),
)
def test_any_answer_to_any_options_has_a_value_or_a_reason(text: str, correct: list[str]) -> None:
    score = RULE.grade(question(text, *correct))

    assert score.value in ((0.0, 1.0) if correct else (None,))
    assert score.reason
    assert bool(read_reply(text).fault) <= (score.value in (None, 0.0))


@given(st.lists(st.text(min_size=1).filter(str.strip), unique_by=str.strip, min_size=1))
def test_every_option_that_is_named_to_the_letter_is_the_one_selected(ids: list[str]) -> None:
    ids = [each.strip() for each in ids]

    assert all(selected_id(each, ids) == each for each in ids)
