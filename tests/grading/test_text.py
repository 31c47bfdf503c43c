"""Exact match, contains and regular expressions."""

import time
from typing import Any

import pytest
from pydantic import ValidationError

from apps.grading.rules import Contains, ExactMatch, Regex

from .subjects import answered


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
def test_a_catastrophic_pattern_ends_in_time(pattern: str) -> None:
    rule = Regex(name="regex", pattern=pattern)
    began = time.monotonic()

    score = rule.grade(answered("a" * 200_000 + "!"))

    assert score.value == 0.0
    assert time.monotonic() - began < 5
