"""Several judges: in turn, or by majority; a tie is no score, and a person decides."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from apps.grading.contracts import Answer, Question, Score, Subject
from apps.grading.rules import CriteriaJudge, ExactMatch, JudgeRule
from apps.grading.rules.judges.reference_judge import ReferenceJudge
from apps.grading.rules.judges.rubric import RubricJudge
from apps.grading.spec import ContractSpec, judge, questions
from apps.grading.subjects import RubricItem
from tests.grading.judges import filled_with, ids, judge_rules

RUBRIC = tuple(RubricItem(id=name, title=f"Names {name}") for name in "abcde")
SUBJECT = Subject(prompt="Why?", response="So.", reference_answers=("So.",), rubric=RUBRIC)
MAJORITY = {"panel": ("a", "b", "c"), "panel_mode": "majority"}
TIED = {"panel": ("a", "b"), "panel_mode": "majority"}


def told(rule: JudgeRule, *texts: str | None, subject: Subject = SUBJECT) -> Score:
    asked = rule.ask(subject)
    return rule.settle(
        subject,
        [
            Answer(call=question.call, text=text, reason="" if text else "timeout")
            for question, text in zip(asked, texts, strict=True)
        ],
    )


def scored(*scores: float | None) -> list[str | None]:
    return [None if score is None else json.dumps({"score": score}) for score in scores]


def seats(questions: tuple[Question, ...]) -> list[tuple[str, str]]:
    return [(question.call, question.judge) for question in questions]


def test_in_turn_each_criterion_goes_to_the_next_judge() -> None:
    rule = RubricJudge(name="rubric", panel=("a", "b"))

    assert seats(rule.ask(SUBJECT)) == [("1", "a"), ("2", "b"), ("3", "a"), ("4", "b"), ("5", "a")]
    assert rule.judge_names == ("a", "b")


def test_for_a_majority_each_judge_answers_each_question() -> None:
    rule = CriteriaJudge(name="criteria", default_criteria=("accuracy", "clarity"), **MAJORITY)

    asked = rule.ask(SUBJECT)

    assert seats(asked) == [
        ("accuracy", "a"),
        ("accuracy#2", "b"),
        ("accuracy#3", "c"),
        ("clarity", "a"),
        ("clarity#2", "b"),
        ("clarity#3", "c"),
    ]
    assert len({question.user for question in asked}) == 2


@pytest.mark.parametrize(
    ("scores", "value", "verdict"),
    [
        ((0.9, 0.8, 0.1), 0.85, "pass"),
        ((0.1, 0.9, 0.3), 0.2, "fail"),
        ((0.7, 0.7, 0.7), 0.7, "pass"),
        ((0.9, 0.8, None), 0.85, "pass"),
    ],
)
def test_more_than_half_decide_and_the_value_is_the_mean_of_those_who_do(
    scores: tuple[float | None, ...], value: float, verdict: str
) -> None:
    rule = ReferenceJudge(name="reference", **MAJORITY)

    score = told(rule, *scored(*scores))

    assert score.value == pytest.approx(value)
    assert score.verdict == verdict
    assert score.judge == "a + b + c"


def test_each_judges_opinion_is_kept() -> None:
    rule = ReferenceJudge(name="reference", **MAJORITY)

    score = told(rule, '{"score": 1, "rationale": "good"}', '{"score": 0}', "hm, 1")

    assert score.raw is not None
    assert [(each["judge"], each.get("value")) for each in score.raw["opinions"]] == [
        ("a", 1.0),
        ("b", 0.0),
        ("c", None),
    ]
    assert score.raw["opinions"][0]["rationale"] == "good"
    assert score.raw["opinions"][2]["error"] == "The judge's reply is not one JSON object."


def test_a_tie_is_no_score_and_says_so() -> None:
    score = told(ReferenceJudge(name="reference", **TIED), *scored(1, 0))

    assert (score.value, score.verdict, score.for_review) == (None, "skip", True)
    assert score.reason == "The judges disagree (1 to 1): for review"


def test_a_tie_on_one_criterion_of_several_names_it() -> None:
    rule = CriteriaJudge(name="criteria", default_criteria=("accuracy", "clarity"), **TIED)
    marks = [("accuracy", 9), ("accuracy", 9), ("clarity", 9), ("clarity", 2)]

    score = told(
        rule,
        *(json.dumps({"criterion": name, "score": mark, "rationale": ""}) for name, mark in marks),
    )

    assert score.reason == "The judges disagree (1 to 1): for review: clarity"
    assert score.raw is not None
    assert [each["score"] for each in score.raw["criteria"]["clarity"]["judges"]] == [9, 2]


def test_a_tie_leaves_the_answer_unjudged_even_by_a_rule_that_skips_what_it_cannot_judge() -> None:
    tied = ReferenceJudge(name="reference", when_missing="skip", **TIED)
    spec = ContractSpec(rules=(ExactMatch(name="exact"), tied))
    asked = questions(spec, SUBJECT)["reference"]
    said = [
        Answer(call=question.call, text=text)
        for question, text in zip(asked, scored(1, 0), strict=True)
    ]

    judgment = judge(spec, SUBJECT, {"reference": said})

    assert judgment.outcome == "unjudged"
    assert judgment.reason == "No score: reference (The judges disagree (1 to 1): for review)"


def test_where_too_few_can_be_read_for_a_majority_the_judges_are_at_fault() -> None:
    score = told(ReferenceJudge(name="reference", **MAJORITY), *scored(1, 0, None))

    assert (score.value, score.verdict, score.for_review) == (None, "error", False)
    assert score.reason == "agreement with the references: timeout (c)"


def test_in_turn_one_silent_judge_leaves_no_value() -> None:
    rule = RubricJudge(name="rubric", panel=("a", "b"))
    met = '{"criteria_met": true}'

    score = told(rule, met, met, None, met, met)

    assert (score.value, score.verdict) == (None, "error")
    assert score.reason == "criterion_3: timeout (a)"


@pytest.mark.parametrize(
    "wrong",
    [
        {"panel": ("a", "a")},
        {"panel": ("a",), "judge": "b"},
        {"panel": tuple("abcdefghij")},
        {"panel": ("x" * 121,)},
        {"panel_mode": "unanimous"},
    ],
)
def test_a_panel_is_of_different_judges_and_stands_instead_of_one(wrong: Any) -> None:
    with pytest.raises(ValidationError):
        ReferenceJudge(name="reference", **wrong)


def test_the_judge_of_the_run_may_sit_in_a_panel() -> None:
    score = told(
        ReferenceJudge(name="reference", panel=("", "b"), panel_mode="majority"), *scored(1, 1)
    )

    assert score.judge == "the judge of the run + b"


@pytest.mark.parametrize("mode", ["round_robin", "majority"])
def test_calls_are_unique_and_short_for_every_rule(mode: str) -> None:
    panel = tuple(f"judge-{number}" for number in range(9))
    rubric = tuple(RubricItem(id=str(number), title="x") for number in range(100))
    subject = filled_with("x").model_copy(update={"rubric": rubric})
    for rule in judge_rules():
        if rule.model_dump().get("questions") == "all" and mode == "majority":
            continue
        seated = rule.model_copy(update={"panel": panel, "panel_mode": mode})

        asked = seated.ask(subject)

        calls = [question.call for question in asked]
        assert len(set(calls)) == len(calls), ids(rule)
        assert max(map(len, calls)) <= 60
        assert {question.judge for question in asked} <= set(panel)


@given(st.lists(st.sampled_from([0, 0.2, 0.69, 0.7, 1, None]), min_size=1, max_size=9))
def test_a_majority_stands_on_its_own_side_of_the_threshold(scores: list[float | None]) -> None:
    panel = tuple(f"judge-{number}" for number in range(len(scores)))
    rule = ReferenceJudge(name="reference", panel=panel, panel_mode="majority")

    score = told(rule, *scored(*scores))

    passing = sum(each is not None and each >= 0.7 for each in scores)
    failing = sum(each is not None and each < 0.7 for each in scores)
    if 2 * max(passing, failing) > len(scores):
        assert score.value is not None
        assert score.verdict == ("pass" if passing > failing else "fail")
        assert (score.value >= 0.7) == (passing > failing)
    else:
        assert score.verdict == ("error" if None in scores else "skip")
