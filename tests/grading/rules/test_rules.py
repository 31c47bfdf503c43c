"""What every rule of the vocabulary keeps to."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from apps.grading.contracts import Answer, Score, Subject
from apps.grading.dialects import normalised
from apps.grading.rules import RULES, AnyRule, ExactMatch, Example, Rule, TokenF1, grade_safely
from apps.grading.subjects import Choice, ToolCall, Turn
from tests.grading.subjects import answered

RULE: TypeAdapter[Rule] = TypeAdapter(AnyRule)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
EXPECTED = st.dictionaries(
    st.sampled_from(["max_latency_ms", "required_criteria"]),
    VALUES | st.lists(st.sampled_from(["accuracy", "clarity", "kindness"])),
)
TEXTS = (
    st.text() | st.from_regex(r"[-+0-9.,eE% ]{0,40}") | VALUES.map(repr) | VALUES.map(json.dumps)
)
CALLS = st.builds(
    ToolCall, name=st.text(max_size=5) | st.sampled_from(["search", "read"]), arguments=VALUES
)
TURNS = st.builds(
    Turn,
    role=st.sampled_from(["assistant", "tool", "user"]),
    content=TEXTS,
    tool_calls=st.lists(CALLS, max_size=3).map(tuple),
)
SUBJECTS = st.builds(
    Subject,
    record_id=st.just("q_0001"),
    prompt=st.text(),
    response=TEXTS,
    turns=st.lists(TURNS, max_size=2).map(tuple),
    reference_answers=st.lists(TEXTS, max_size=2).map(tuple),
    expected_turns=st.lists(TURNS, max_size=2).map(tuple),
    choices=st.lists(st.builds(Choice, id=st.sampled_from("ABCD"), text=st.text())).map(tuple),
    correct_choice_ids=st.lists(st.sampled_from("ABCD")).map(tuple),
    record=st.dictionaries(st.sampled_from(["expected", "expected_output"]), VALUES | EXPECTED),
    latency_ms=st.none() | st.integers(min_value=0),
    input_tokens=st.none() | st.integers(min_value=0),
    output_tokens=st.none() | st.integers(min_value=0),
    cost=st.none() | st.floats(min_value=0, allow_infinity=False),
)
ANSWERS = st.lists(
    st.builds(
        Answer,
        call=st.sampled_from(["accuracy", "clarity", "overall"]),
        text=st.none() | TEXTS,
        reason=st.text(),
    ),
    max_size=4,
)


def made(rule: type[Rule], example: Example, **common: Any) -> Rule:
    type_ = rule.model_fields["type"].default
    return RULE.validate_python({"type": type_, "name": "example", **example.settings, **common})


def type_of(rule: type[Rule]) -> str:
    return str(rule.model_fields["type"].default)


def answers_of(rule: Rule, example: Example) -> list[Answer]:
    """What the judge of the example says to each question of the rule, by its call."""
    return [
        Answer(
            call=question.call,
            text=example.answers.get(question.call),
            reason="The example has no answer.",
        )
        for question in rule.ask(example.subject)
    ]


class Breaking(ExactMatch):
    """A rule with a bug."""

    def grade(self, subject: Subject) -> Score:
        raise ZeroDivisionError("float division by zero\0")


@pytest.mark.parametrize("rule", RULES, ids=type_of)
def test_every_rule_has_an_example_and_says_of_it_what_it_gives(rule: type[Rule]) -> None:
    assert rule.examples

    for example in rule.examples:
        ready = made(rule, example)
        score = ready.settle(example.subject, answers_of(ready, example))

        assert score.value == (
            None if example.value is None else pytest.approx(example.value, abs=0.001)
        ), example.says
        assert score.reason or score.value is not None


@pytest.mark.parametrize("rule", RULES, ids=type_of)
@given(subject=SUBJECTS, said=ANSWERS, negate=st.booleans())
def test_a_rule_never_raises_and_gives_a_value_or_a_reason(
    rule: type[Rule], subject: Subject, said: Sequence[Answer], negate: bool
) -> None:
    for example in rule.examples:
        ready = made(rule, example, negate=negate)
        score = ready.settle(subject, said)

        assert (score.value is None) == (score.verdict in ("skip", "error"))
        assert score.reason or score.value is not None
        assert score.value is None or 0 <= score.value <= 1
        assert score == ready.settle(subject, said)


@pytest.mark.parametrize("rule", RULES, ids=type_of)
def test_a_rule_turned_round_gives_the_rest_to_one_and_turns_its_checks(rule: type[Rule]) -> None:
    for example in rule.examples:
        if example.value is None:
            continue
        plain = made(rule, example)
        turned = plain.model_copy(update={"negate": not plain.negate})
        answers = answers_of(plain, example)
        one, other = (each.settle(example.subject, answers) for each in (plain, turned))
        if (one.raw or {}).get("parse_error"):  # what cannot be read is a 0 either way
            continue

        assert other.value == pytest.approx(1 - example.value, abs=0.001)
        assert [check.passed for check in other.checks] == [not each.passed for each in one.checks]


@pytest.mark.parametrize("rule", RULES, ids=type_of)
def test_a_form_can_be_made_from_every_rule(rule: type[Rule]) -> None:
    properties = rule.model_json_schema()["properties"]

    assert properties["type"]["const"] == properties["type"]["default"]
    assert rule.title
    assert rule.description().endswith((".", "Syntax"))
    for name, field in rule.model_fields.items():
        assert name == "type" or (field.title and field.description), name


@pytest.mark.parametrize("rule", RULES, ids=type_of)
def test_a_rule_reads_back_from_json_as_itself(rule: type[Rule]) -> None:
    for example in rule.examples:
        ready = made(rule, example)

        assert RULE.validate_json(ready.model_dump_json()) == ready


@pytest.mark.parametrize("rule", RULES, ids=type_of)
def test_a_rule_as_it_is_stored_is_in_no_dialect(rule: type[Rule]) -> None:
    for example in rule.examples:
        stored = made(rule, example).model_dump(mode="json")

        assert normalised([stored]) == [stored]


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

    assert (score.rule, score.method, score.verifier) == ("exact", "code", "exact_match@2")


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
