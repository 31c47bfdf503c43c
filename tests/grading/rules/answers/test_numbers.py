"""Reading the last number of a text, and comparing it within a tolerance."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.grading.contracts import Subject
from apps.grading.rules import Numeric
from apps.grading.rules.answers.numbers import last_number
from tests.bounds import bounded
from tests.grading.subjects import answered


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("42", "42"),
        ("First 3, then 42.", "42"),
        ("#### 72", "72"),
        (r"\boxed{42}", "42"),
        ("-3", "-3"),
        ("\u22127 °C", "-7"),
        ("+5", "5"),
        ("3-5", "5"),
        ("x=5", "5"),
        ("-$5.20", "-5.20"),
        ("US$1,234,567.89", "1234567.89"),
        ("1'000", "1000"),
        ("1\u202f000", "1000"),
        ("1_000", "1000"),
        ("1,2345", "2345"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("1.5e-3", "0.0015"),
        ("6.02E23", "6.02E23"),
        ("45 %", "45"),
        ("共42个", "42"),
        ("CO2", None),
        ("Q4ER9", None),
        ("none", None),
        ("", None),
        ("9" * 401, None),
    ],
)
def test_the_last_number_is_read_as_people_write_it(text: str, number: str | None) -> None:
    found = last_number(text)

    assert (found and found.value) == (None if number is None else Decimal(number))


@pytest.mark.parametrize(
    ("text", "number"), [("1.234,56", "1234.56"), ("12,5", "12.5"), ("1.000.000", "1000000")]
)
def test_a_decimal_comma_swaps_the_separators(text: str, number: str) -> None:
    found = last_number(text, decimal_mark=",")

    assert found is not None
    assert found.value == Decimal(number)


@pytest.mark.parametrize(
    ("options", "answer", "reference", "value"),
    [
        ({}, "It is 42.", "42", 1.0),
        ({}, "It is 43.", "42", 0.0),
        ({}, "42.0", "42", 1.0),
        ({"absolute": 0.1}, "1.1", "1", 1.0),
        ({"absolute": 0.1}, "1.11", "1", 0.0),
        ({"absolute": 0.01}, "1.01", "1.00", 1.0),
        ({"relative": 0.01}, "101", "100", 1.0),
        ({"relative": 0.01}, "99", "-100", 0.0),
        ({"relative": 0.01, "absolute": 5}, "105", "100", 1.0),
        ({"expected": 3.5}, "3.5", None, 1.0),
        ({"expected": 1e-7}, "0.0000001", None, 1.0),
        ({}, "45 %", "45", 1.0),
        ({"percent": "divide"}, "45 %", "0.45", 1.0),
        ({}, "no idea", "42", 0.0),
    ],
)
def test_a_number_within_the_tolerance_passes(
    options: dict[str, Any], answer: str, reference: str | None, value: float
) -> None:
    rule = Numeric(name="number", **options)

    score = rule.grade(answered(answer, reference=reference))

    assert score.value == value


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        (None, "The record has no reference answer."),
        ("forty", "The reference answer has no number."),
    ],
)
def test_a_reference_without_a_number_gives_no_value(reference: str | None, reason: str) -> None:
    score = Numeric(name="number").grade(answered("42", reference=reference))

    assert (score.value, score.verdict, score.reason) == (None, "skip", reason)


@pytest.mark.parametrize(
    "text", ["1,234" * 40_000, "1" + ",234" * 50_000 + "5", "-" * 200_000, "1e" * 100_000]
)
def test_a_hostile_text_is_read_without_exploding(text: str) -> None:
    with bounded(3):
        score = Numeric(name="number", expected=7).grade(answered(text))

    assert score.value == 0.0


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4))
def test_every_decimal_reads_back_as_itself(number: Decimal) -> None:
    found = last_number(f"The answer is {number:,f}.")

    assert found is not None
    assert found.value == number


@pytest.mark.parametrize(("answer", "value"), [("7", 1.0), ("eight: 8", 1.0), ("9", 0.0)])
def test_one_of_several_reference_answers_is_enough(answer: str, value: float) -> None:
    subject = Subject(response=answer, reference_answers=("none", "7", "8 or so"))

    assert Numeric(name="number").grade(subject).value == value
