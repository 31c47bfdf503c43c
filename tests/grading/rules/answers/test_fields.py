"""Single fields of an answer in JSON against those that are expected."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from apps.grading.contracts import Score, Subject
from apps.grading.rules.answers.dates import read_date
from apps.grading.rules.answers.fields import FieldAccuracy
from apps.grading.subjects import Turn
from tests.bounds import bounded

INVOICE = {
    "id": "A-7",
    "total": 100,
    "paid": "2026-01-15",
    "to": {"name": "Ada", "vat": None},
    "lines": [{"price": 9.99}, {"price": 1}],
}


def graded(fields: list[Any], answer: Any, wanted: Any = INVOICE, **settings: Any) -> Score:
    rule = FieldAccuracy(name="fields", fields=fields, **settings)
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return rule.grade(Subject(response=text, reference_answers=(json.dumps(wanted),)))


@pytest.mark.parametrize(
    ("field", "answer", "text", "passed"),
    [
        ({"path": "id"}, {"id": "A-7"}, "id", True),
        ({"path": "id"}, {"id": "A-8"}, "id (value mismatch)", False),
        ({"path": "id"}, {"id": 7}, "id (type mismatch: got number, expected string)", False),
        ({"path": "total"}, {"total": 100.0}, "total", True),
        (
            {"path": "total"},
            {"total": True},
            "total (type mismatch: got boolean, expected number)",
            False,
        ),
        ({"path": "to.vat"}, {"to": {"vat": None}}, "to.vat", True),
        ({"path": "to.name"}, {"to": None}, "to.name (required, missing)", False),
        ({"path": "lines[1].price"}, {"lines": [0, {"price": 1}]}, "lines[1].price", True),
        ({"path": "lines"}, {"lines": [{"price": 9.99}, {"price": 1}]}, "lines", True),
        ({"path": "lines[9]"}, {}, "lines[9]: no expected value", True),
        ({"path": "id"}, {}, "id (required, missing)", False),
        (
            {"path": "total", "match": "numeric_tolerance", "tolerance": 0.1},
            {"total": "100.1 EUR"},
            "total (within tolerance: diff=0.10)",
            True,
        ),
        (
            {"path": "total", "match": "numeric_tolerance", "tolerance": 1},
            {"total": 98},
            "total (outside tolerance: diff=2.00, tolerance=1)",
            False,
        ),
        (
            {"path": "total", "match": "numeric_tolerance", "tolerance": 0.02, "relative": True},
            {"total": 98},
            "total (within tolerance: diff=2.00)",
            True,
        ),
        (
            {"path": "total", "match": "numeric_tolerance"},
            {"total": "many"},
            "total (non-numeric value)",
            False,
        ),
        (
            {"path": "total", "match": "numeric_tolerance"},
            {"total": True},
            "total (non-numeric value)",
            False,
        ),
        ({"path": "paid", "match": "date"}, {"paid": "15-JAN-2026"}, "paid", True),
        (
            {"path": "paid", "match": "date"},
            {"paid": "2026-01-16T08:00:00Z"},
            "paid (date mismatch: got 2026-01-16, expected 2026-01-15)",
            False,
        ),
        (
            {"path": "paid", "match": "date"},
            {"paid": "soon"},
            "paid (unparseable candidate date)",
            False,
        ),
        (
            {"path": "id", "match": "date"},
            {"id": "2026-01-15"},
            "id (unparseable expected date)",
            False,
        ),
    ],
)
def test_a_field_is_compared_as_its_match_says(
    field: dict[str, Any], answer: Any, text: str, passed: bool
) -> None:
    score = graded([field], answer)

    assert [(check.text, check.passed) for check in score.checks] == [(text, passed)]
    assert score.value == float(passed)


def test_the_average_is_weighted_and_optional_fields_that_are_missing_are_left_out() -> None:
    fields = [
        {"path": "id", "weight": 3},
        {"path": "total"},
        {"path": "paid", "required": False, "weight": 9},
    ]

    score = graded(fields, {"id": "A-7", "total": 1})

    assert score.value == 0.75
    assert score.checks[2].text == "paid: optional field missing"
    assert score.checks[2].passed


def test_all_or_nothing_is_nothing_where_one_field_is_wrong() -> None:
    fields = [{"path": "id"}, {"path": "total"}]

    some = graded(fields, {"id": "A-7", "total": 1}, aggregation="all_or_nothing")
    every = graded(fields, {"id": "A-7", "total": 100}, aggregation="all_or_nothing")

    assert (some.value, every.value) == (0.0, 1.0)


@pytest.mark.parametrize("answer", ["none", "", "[1", "{", '"text'])
def test_an_answer_that_is_no_json_is_wrong(answer: str) -> None:
    score = graded([{"path": "id"}], answer)

    assert score.value == 0.0
    assert score.reason == "Failed to parse candidate answer as JSON"


@pytest.mark.parametrize(
    "answer",
    ['```json\n{"id": "A-7"}\n```', 'Here it is: {"id": "A-7"}. Good?', ' {"id": "A-7"} '],
)
def test_json_is_found_in_a_fence_or_among_words(answer: str) -> None:
    assert graded([{"path": "id"}], answer).value == 1.0


@pytest.mark.parametrize(
    "fields",
    [
        {"reference_answers": ("not json", '{"id": "x"}', '{"id": "A-7"}')},
        {"expected_turns": (Turn(role="assistant", content='{"id": "A-7"}'),)},
        {
            "expected_turns": (
                Turn(role="assistant", content='{"id": "A-7"}'),
                Turn(role="user", content='{"id": "x"}'),
                Turn(role="assistant", content="Thanks"),
            ),
            "reference_answers": ('{"id": "x"}',),
        },
        {"record": {"expected_output": {"id": "A-7"}}},
        {"record": {"expected_output": '{"id": "A-7"}'}},
    ],
)
def test_what_is_expected_is_looked_for_where_it_may_be(fields: dict[str, Any]) -> None:
    rule = FieldAccuracy(name="fields", fields=({"path": "id"},))

    assert rule.grade(Subject(response='{"id": "A-7"}', **fields)).value == 1.0


@pytest.mark.parametrize("references", [(), ("Paris",), ("7",)])
def test_without_an_expected_object_there_is_no_value_but_a_reason(
    references: tuple[str, ...],
) -> None:
    rule = FieldAccuracy(name="fields", fields=({"path": "id"},))

    score = rule.grade(Subject(response="{}", reference_answers=references))

    assert (score.value, score.verdict) == (None, "skip")
    assert score.reason == "The record has no expected output that is a JSON object."


def test_nothing_to_weigh_is_no_zero() -> None:
    score = graded([{"path": "id", "required": False}], {})

    assert (score.value, score.reason) == (
        None,
        "No field with a weight is there to be compared.",
    )


def test_the_best_reference_counts_also_where_the_rule_is_turned_round() -> None:
    rule = FieldAccuracy(name="fields", fields=({"path": "id"},), negate=True)
    references = ('{"id": "x"}', '{"id": "A-7"}')

    score = rule.grade(Subject(response='{"id": "A-7"}', reference_answers=references))

    assert score.value == 0.0


@pytest.mark.parametrize(
    ("text", "formats", "day"),
    [
        ("2026-01-15", [], "2026-01-15"),
        ("2026-01-15T23:59:59+09:00", [], "2026-01-15"),
        ("15-jan-2026", [], "2026-01-15"),
        ("15-January-2026", [], "2026-01-15"),
        ("January 5, 2026", [], "2026-01-05"),
        ("01/02/2026", [], "2026-01-02"),
        ("13/02/2026", [], "2026-02-13"),
        ("01/02/2026", ["DD/MM/YYYY"], "2026-02-01"),
        ("01/02/2026", ["DD/MM/YYYY", "MM/DD/YYYY"], "2026-02-01"),
        ("5.1.26", ["D.M.YY"], "2026-01-05"),
        ("50 % of 2026", ["50 % of YYYY"], "2026-01-01"),
        ("31/02/2026", [], None),
        ("", [], None),
        ("2" * 100_000, [], None),
    ],
)
def test_a_date_is_read_by_the_first_format_that_fits(
    text: str, formats: list[str], day: str | None
) -> None:
    found = read_date(text, formats)

    assert (found and found.isoformat()) == day


@pytest.mark.parametrize(
    ("formats", "cause"),
    [
        (["DD/MM"], "has no year"),
        (["YYYY YYYY"], "names a part twice"),
        (["Y" * 50], "more than 40 characters"),
        (["%j"], "has no year"),
    ],
)
def test_a_format_that_names_no_day_is_refused(formats: list[str], cause: str) -> None:
    with pytest.raises(ValidationError, match=cause):
        FieldAccuracy(name="f", fields=({"path": "a", "match": "date", "formats": formats},))


def test_too_much_to_compare_gets_a_reason() -> None:
    long = json.dumps({"a": ["x"] * 40_000})
    fields = tuple({"path": "a"} for _ in range(80))
    rule = FieldAccuracy(name="fields", fields=fields)

    with bounded():
        few = rule.grade(Subject(response=long, reference_answers=(long,)))
        many = rule.grade(Subject(response=long, reference_answers=(long,) * 5))

    assert few.value == 1.0
    assert (many.value, many.verdict) == (None, "skip")


documents = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-5, 5) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3)
    ),
)
specs = st.fixed_dictionaries(
    {"path": st.sampled_from(["a", "a.b", "a[0]", "[0].b", "c[1][0]", ".", "a..b"])},
    optional={
        "match": st.sampled_from(["exact", "numeric_tolerance", "date"]),
        "required": st.booleans(),
        "weight": st.floats(0, 5),
        "tolerance": st.floats(0, 5),
        "relative": st.booleans(),
    },
)


@given(st.lists(specs, min_size=1, max_size=4), documents, documents, st.booleans())
def test_whatever_is_compared_gets_a_value_or_a_reason(
    fields: list[Any], answer: Any, wanted: Any, every: bool
) -> None:
    aggregation = "all_or_nothing" if every else "weighted_average"

    score = graded(fields, answer, wanted, aggregation=aggregation)

    assert score.value is not None or score.reason
    assert score.value is None or 0 <= score.value <= 1


@given(st.lists(specs, min_size=1, max_size=4), documents)
def test_an_answer_that_is_the_expected_object_is_right_by_its_own_fields(
    fields: list[Any], document: Any
) -> None:
    exact = [{**field, "match": "exact"} for field in fields]

    score = graded(exact, document, document)

    assert score.value in (1.0, None)
