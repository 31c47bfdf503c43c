"""Exact match, contains and regular expressions."""

from typing import Any

import pytest
from pydantic import ValidationError

from apps.grading.contracts import Subject
from apps.grading.rules import Contains, ExactMatch, Regex
from apps.grading.rules.answers.text import EndsWith, Equals, StartsWith
from tests.bounds import bounded
from tests.grading.subjects import answered


@pytest.mark.parametrize(
    ("options", "answer", "reference", "value"),
    [
        ({}, "Paris", "Paris", 1.0),
        ({}, "paris", "Paris", 0.0),
        ({"ignore_case": True}, "paris", "Paris", 1.0),
        ({"ignore_case": True}, "STRASSE", "Straße", 1.0),
        ({}, "  New\n York ", "New York", 1.0),
        ({"ignore_whitespace": False}, "New York ", "New York", 0.0),
        ({}, "cafe\u0301", "caf\u00e9", 1.0),
        ({"nfc": False}, "cafe\u0301", "caf\u00e9", 0.0),
        ({"expected": "yes"}, "yes", "no", 1.0),
        ({"expected": ""}, " ", None, 1.0),
        ({}, "Paris.", "Paris", 0.0),
    ],
)
def test_exact_match_compares_as_its_options_say(
    options: dict[str, Any], answer: str, reference: str | None, value: float
) -> None:
    rule = ExactMatch(name="exact", **options)

    score = rule.grade(answered(answer, reference=reference))

    assert score.value == value


def test_exact_match_says_what_it_expected() -> None:
    score = ExactMatch(name="exact").grade(answered("Lyon", reference="Paris"))

    assert (score.verdict, score.reason) == ("fail", "Expected 'Paris', got 'Lyon'.")


@pytest.mark.parametrize("reference", [None, "", " \n"])
@pytest.mark.parametrize("rule", [ExactMatch(name="r"), Contains(name="r")])
def test_without_a_reference_there_is_no_value_but_a_reason(
    rule: ExactMatch | Contains, reference: str | None
) -> None:
    score = rule.grade(answered("Paris", reference=reference))

    assert (score.value, score.verdict) == (None, "skip")
    assert score.reason == "The record has no reference answer."


@pytest.mark.parametrize(
    ("options", "answer", "value"),
    [
        ({"values": ["red", "blue"]}, "red and blue", 1.0),
        ({"values": ["red", "blue"]}, "red and green", 0.0),
        ({"values": ["red", "blue"], "mode": "any"}, "red and green", 1.0),
        ({"values": ["red", "blue"], "mode": "any"}, "green", 0.0),
        ({"values": ["Red"]}, "red", 0.0),
        ({"values": ["Red"], "ignore_case": True}, "RED", 1.0),
        ({"values": ["caf\u00e9"]}, "un cafe\u0301", 1.0),
        ({"values": ["caf\u00e9"], "nfc": False}, "un cafe\u0301", 0.0),
        ({}, "It is Paris, of course", 1.0),
    ],
)
def test_contains_looks_for_all_or_any(options: dict[str, Any], answer: str, value: float) -> None:
    rule = Contains(name="contains", **options)

    score = rule.grade(answered(answer, reference="Paris"))

    assert score.value == value


def test_contains_names_what_it_missed_and_counts_what_it_found() -> None:
    rule = Contains(name="contains", values=("red", "blue", "green"))

    score = rule.grade(answered("red"))

    assert score.reason == 'Output missing: "blue", "green"'
    assert score.raw == {"found": 1, "of": 3}


@pytest.mark.parametrize(
    ("options", "answer", "text", "passed"),
    [
        ({"value": "a"}, "abc", 'Output contains "a"', True),
        ({"value": "x"}, "abc", 'Output does not contain "x"', False),
        (
            {"value": "X", "ignore_case": True},
            "abc",
            'Output does not contain "X" (case-insensitive)',
            False,
        ),
        ({"values": ["a", "b"]}, "abc", "Output contains all 2 expected strings", True),
        ({"values": ["x", "a", "y"]}, "abc", 'Output missing: "x", "y"', False),
        (
            {"values": ["x"], "ignore_case": True},
            "abc",
            'Output missing (case-insensitive): "x"',
            False,
        ),
        ({"values": ["x", "c"], "mode": "any"}, "abc", 'Output contains "c"', True),
        (
            {"values": ["x", "y"], "mode": "any", "ignore_case": True},
            "abc",
            'Output does not contain any of: "x", "y" (case-insensitive)',
            False,
        ),
    ],
)
def test_contains_says_what_it_found_in_the_words_of_agentv(
    options: dict[str, Any], answer: str, text: str, passed: bool
) -> None:
    score = Contains(name="contains", **options).grade(answered(answer))

    assert [(check.text, check.passed) for check in score.checks] == [(text, passed)]
    assert score.value == float(passed)


@pytest.mark.parametrize("rule", [ExactMatch(name="r"), Contains(name="r")])
@pytest.mark.parametrize(("answer", "value"), [("NYC", 1.0), ("New York", 1.0), ("Paris", 0.0)])
def test_one_of_several_reference_answers_is_enough(
    rule: ExactMatch | Contains, answer: str, value: float
) -> None:
    subject = Subject(response=answer, reference_answers=("NYC", " ", "New York"))

    assert rule.grade(subject).value == value


def test_a_text_or_texts_are_given_and_not_both() -> None:
    with pytest.raises(ValidationError, match="not both"):
        Contains(name="contains", value="a", values=("b",))


@pytest.mark.parametrize(
    ("rule", "answer", "text", "passed"),
    [
        (Equals(name="r", value="a "), "\ufeff a\n", 'Output equals "a "', True),
        (Equals(name="r", value="a"), "A", 'Output does not equal "a"', False),
        (Equals(name="r", value=""), "\u00a0", 'Output equals ""', True),
        (Equals(name="r", value="a"), "a\x85", 'Output does not equal "a"', False),
        (StartsWith(name="r", value=" a"), "abc", 'Output starts with " a"', True),
        (StartsWith(name="r", value="b"), "abc", 'Output does not start with "b"', False),
        (EndsWith(name="r", value="c"), "abc  ", 'Output ends with "c"', True),
        (EndsWith(name="r", value="b"), "abc", 'Output does not end with "b"', False),
    ],
)
def test_the_answer_and_the_text_are_trimmed_as_javascript_does(
    rule: Equals | StartsWith | EndsWith, answer: str, text: str, passed: bool
) -> None:
    score = rule.grade(answered(answer))

    assert [(check.text, check.passed) for check in score.checks] == [(text, passed)]
    assert score.value == float(passed)


def test_a_long_text_is_clipped_where_it_is_told_and_has_nothing_unstorable() -> None:
    score = Equals(name="r", value="\0" + "x" * 10_000).grade(answered("y"))

    assert len(score.checks[0].text) < 2_100
    assert "\0" not in score.checks[0].text


def test_contains_refuses_an_empty_text() -> None:
    with pytest.raises(ValidationError, match="every answer contains it"):
        Contains(name="contains", values=("red", ""))


@pytest.mark.parametrize(
    ("options", "answer", "value"),
    [
        ({"pattern": r"\d{4}"}, "in 1848", 1.0),
        ({"pattern": r"\d{4}"}, "in spring", 0.0),
        ({"pattern": r"\d{4}", "whole": True}, "in 1848", 0.0),
        ({"pattern": r"\d{4}", "whole": True}, "1848", 1.0),
        ({"pattern": "yes|no", "ignore_case": True}, "No", 1.0),
        ({"pattern": "^b"}, "a\nb", 0.0),
        ({"pattern": "^b", "multiline": True}, "a\nb", 1.0),
        ({"pattern": "a.b"}, "a\nb", 0.0),
        ({"pattern": "a.b", "dot_all": True}, "a\nb", 1.0),
        ({"pattern": "é"}, "caf\u00e9", 1.0),
        ({"pattern": "b"}, "\ud800b", 1.0),
    ],
)
def test_regex_matches_as_its_flags_say(options: dict[str, Any], answer: str, value: float) -> None:
    rule = Regex(name="regex", **options)

    score = rule.grade(answered(answer))

    assert score.value == value


@pytest.mark.parametrize(
    ("options", "answer", "text"),
    [
        ({"pattern": "B", "flags": "i"}, "abc", "Output matches pattern /B/i (flags: i)"),
        ({"pattern": "x"}, "abc", "Output does not match pattern /x/"),
        ({"pattern": "^b", "flags": "gm"}, "a\nb", "Output matches pattern /^b/gm (flags: gm)"),
        ({"pattern": "b", "flags": "y"}, "ab", "Output does not match pattern /b/y (flags: y)"),
        ({"pattern": "a.b", "flags": "s"}, "a\nb", "Output matches pattern /a.b/s (flags: s)"),
        (
            {"pattern": "B", "flags": "g", "ignore_case": True},
            "abc",
            "Output matches pattern /B/gi (flags: gi)",
        ),
        ({"pattern": r"\u00e9"}, "caf\u00e9", r"Output matches pattern /\u00e9/"),
        ({"pattern": r"\u{1F600}"}, "\U0001f600", r"Output matches pattern /\u{1F600}/"),
        ({"pattern": r"\\u00e9"}, r"\u00e9", r"Output matches pattern /\\u00e9/"),
        ({"pattern": r"a\/b"}, "a/b", r"Output matches pattern /a\/b/"),
    ],
)
def test_flags_and_escapes_are_those_of_javascript(
    options: dict[str, Any], answer: str, text: str
) -> None:
    score = Regex(name="regex", **options).grade(answered(answer))

    assert [check.text for check in score.checks] == [text]


@pytest.mark.parametrize("flags", ["x", "ii-", "gimsuvygim"])
def test_unknown_flags_are_refused(flags: str) -> None:
    with pytest.raises(ValidationError, match="flags"):
        Regex(name="regex", pattern="a", flags=flags)


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        ({"pattern": "("}, "missing )"),
        ({"pattern": "a)(b", "ignore_case": True}, "unexpected )"),
        ({"pattern": "(?=a)b"}, "invalid perl operator"),
        ({"pattern": r"(a)\1"}, "invalid escape sequence"),
        ({"pattern": "((a{100}){100}){100}"}, "invalid repetition size"),
    ],
)
def test_a_pattern_that_re2_refuses_is_an_error_when_it_is_saved(
    options: dict[str, Any], cause: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        Regex(name="regex", **options)

    assert "RE2 refuses the pattern" in str(caught.value)
    assert cause in str(caught.value)


@pytest.mark.parametrize("pattern", ["(a+)+$", "^(a|a)*$", "(a*)*b", "(?:.*a){20}$"])
def test_a_catastrophic_pattern_does_not_explode(pattern: str) -> None:
    rule = Regex(name="regex", pattern=pattern)

    with bounded():
        score = rule.grade(answered("a" * 200_000 + "!"))

    assert score.value == 0.0
