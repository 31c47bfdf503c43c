"""What every rule of the vocabulary keeps to."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from apps.grading.contracts import Answer, Score, Subject
from apps.grading.rules import (
    RULES,
    AnyRule,
    Contains,
    CriteriaJudge,
    ExactMatch,
    MaxLatency,
    Numeric,
    Regex,
    RougeL,
    Rule,
    TokenF1,
    ValidJson,
    grade_safely,
)

from .subjects import answered

EXAMPLES: tuple[Rule, ...] = (
    ExactMatch(name="exact", ignore_case=True),
    Contains(name="contains", ignore_case=True),
    Regex(name="regex", pattern=r"\w+\s\w+"),
    Numeric(name="number", relative=0.1),
    ValidJson(name="json", json_schema={"type": "object", "uniqueItems": True}),
    TokenF1(name="f1"),
    RougeL(name="rouge", blocking=False),
    MaxLatency(name="latency"),
    CriteriaJudge(name="judge"),
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
expected = st.dictionaries(
    st.sampled_from(["max_latency_ms", "required_criteria"]),
    values | st.lists(st.sampled_from(["accuracy", "clarity", "kindness"])),
)
subjects = st.builds(
    Subject,
    record_id=st.just("q_0001"),
    prompt=st.text(),
    response=st.text() | st.from_regex(r"[-+0-9.,eE% ]{0,40}") | values.map(repr),
    reference_answers=st.lists(st.text() | st.from_regex(r"[-+0-9.,eE% ]{0,40}"), max_size=2).map(
        tuple
    ),
    record=st.dictionaries(st.just("expected"), values | expected),
    latency_ms=st.none() | st.integers(min_value=0),
)
answers = st.lists(
    st.builds(
        Answer,
        call=st.sampled_from(["accuracy", "clarity", "overall"]),
        text=st.none() | st.text() | values.map(repr),
        reason=st.text(),
    ),
    max_size=4,
)


class Breaking(ExactMatch):
    """A rule with a bug."""

    def grade(self, subject: Subject) -> Score:
        raise ZeroDivisionError("float division by zero\0")


def test_every_rule_of_the_vocabulary_has_an_example() -> None:
    assert [type(rule) for rule in EXAMPLES] == list(RULES)


@given(subjects, answers)
def test_a_rule_never_raises_and_gives_a_value_or_a_reason(
    subject: Subject, said: Sequence[Answer]
) -> None:
    for rule in EXAMPLES:
        score = (
            rule.settle(subject, said) if isinstance(rule, CriteriaJudge) else rule.grade(subject)
        )

        assert (score.value is None) == (score.verdict in ("skip", "error"))
        assert score.reason or score.value is not None
        assert score.value is None or 0 <= score.value <= 1


@given(subjects)
def test_the_same_answer_gets_the_same_score_again(subject: Subject) -> None:
    for rule in EXAMPLES:
        assert rule.grade(subject) == rule.grade(subject)


@pytest.mark.parametrize("rule", RULES)
def test_a_form_can_be_made_from_every_rule(rule: type[Rule]) -> None:
    properties = rule.model_json_schema()["properties"]

    assert properties["type"]["const"] == properties["type"]["default"]
    assert rule.title
    assert rule.description().endswith((".", "Syntax"))
    for name, field in properties.items():
        assert name == "type" or (field["title"] and field["description"]), name


@pytest.mark.parametrize("rule", EXAMPLES)
def test_a_rule_reads_back_from_json_as_itself(rule: Rule) -> None:
    again: Any = TypeAdapter(AnyRule).validate_json(rule.model_dump_json())

    assert again == rule


@pytest.mark.parametrize("name", ["", "Exact", "exact match", "exact.match", "x" * 65, "é"])
def test_a_name_is_short_lower_case_and_plain(name: str) -> None:
    with pytest.raises(ValidationError, match="name"):
        ExactMatch(name=name)


@pytest.mark.parametrize(
    "options",
    [{"threshold": 1.1}, {"threshold": -0.1}, {"weight": -1}, {"weight": float("inf")}, {"x": 1}],
)
def test_settings_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ExactMatch(name="exact", **options)


@pytest.mark.parametrize(
    ("threshold", "blocking", "verdict"),
    [(2 / 3, True, "pass"), (0.7, True, "fail"), (0.7, False, "warn"), (0, True, "pass")],
)
def test_a_value_at_the_threshold_passes_and_one_below_fails_or_warns(
    threshold: float, blocking: bool, verdict: str
) -> None:
    rule = TokenF1(name="f1", threshold=threshold, blocking=blocking)

    score = rule.grade(answered("cat cat", reference="cat"))

    assert score.value == 2 / 3
    assert score.verdict == verdict


def test_a_grader_that_raises_gives_an_error_and_never_a_value() -> None:
    score = grade_safely(Breaking(name="bug"), answered("yes", reference="yes"))

    assert (score.value, score.verdict) == (None, "error")
    assert score.reason == "The grader raised ZeroDivisionError: float division by zero\ufffd"


def test_a_score_names_the_code_that_gave_it() -> None:
    score = ExactMatch(name="exact").grade(answered("yes", reference="yes"))

    assert (score.rule, score.method, score.verifier) == ("exact", "code", "exact_match@1")


@pytest.mark.parametrize(
    "said",
    [
        {"verdict": "pass"},
        {"verdict": "error", "value": 0.0, "reason": "broke"},
        {"verdict": "skip"},
        {"verdict": "pass", "value": 1.1},
        {"verdict": "pass", "value": float("nan")},
    ],
)
def test_a_score_that_contradicts_itself_cannot_be_made(said: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Score(rule="exact", **said)
