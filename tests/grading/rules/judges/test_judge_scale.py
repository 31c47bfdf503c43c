"""The judge with scales of one's own: marks become values, and what is no mark is none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from apps.grading.contracts import Answer, Score, Subject
from apps.grading.rules.judges.scale_judge import ScaledCriterion, ScaleJudge

SUBJECT = Subject(prompt="May I return it?", response="Gladly.")
TONE = ScaledCriterion(name="tone", definition="Is it polite?", anchors={"1": "rude", "5": "warm"})
PADDING = ScaledCriterion(
    name="padding", definition="How much says nothing?", lowest=0, highest=10, best="lowest"
)
RULE = ScaleJudge(name="scales", criteria=(TONE, PADDING))


def settled(*marks: Any, rule: ScaleJudge = RULE) -> Score:
    return rule.settle(
        SUBJECT,
        [
            Answer(
                call=str(n),
                text=json.dumps({"criterion": f"criterion_{n}", "score": mark, "rationale": "so"}),
            )
            for n, mark in enumerate(marks, start=1)
        ],
    )


def test_each_criterion_is_one_question_with_its_scale() -> None:
    tone, padding = RULE.ask(SUBJECT)

    assert "Scale: 1 to 5; 5 is the best." in tone.user
    assert '"anchors": {"1": "rude", "5": "warm"}' in tone.user
    assert "Scale: 0 to 10; 0 is the best." in padding.user
    assert padding.reply["score"] == "a number from 0 to 10"


@pytest.mark.parametrize(
    ("marks", "combine", "weights", "value"),
    [
        ((5, 0), "mean", (1, 1), 1.0),
        ((1, 10), "mean", (1, 1), 0.0),
        ((4, 5), "mean", (1, 1), 0.625),
        ((4, 5), "mean", (3, 1), 0.6875),
        ((4, 5), "mean", (0, 0), 0.625),
        ((4, 5), "lowest", (3, 1), 0.5),
        ((1.5, 0), "lowest", (1, 1), 0.125),
    ],
)
def test_marks_become_values_from_0_to_1(
    marks: tuple[float, ...], combine: Any, weights: tuple[float, float], value: float
) -> None:
    criteria = tuple(
        criterion.model_copy(update={"weight": weight})
        for criterion, weight in zip((TONE, PADDING), weights, strict=True)
    )

    score = settled(*marks, rule=ScaleJudge(name="s", criteria=criteria, combine=combine))

    assert score.value == pytest.approx(value)


def test_the_checks_say_the_marks_in_their_own_scales() -> None:
    score = settled(4, 9)

    assert [(check.text, check.passed) for check in score.checks] == [
        ("tone: 4 on a scale of 1 to 5", True),
        ("padding: 9 on a scale of 0 to 10", False),
    ]
    assert score.raw is not None
    assert score.raw["criteria"] == {"tone": 0.75, "padding": pytest.approx(0.1)}
    assert [opinion["score"] for opinion in score.raw["opinions"]] == [4, 9]


@pytest.mark.parametrize("mark", [0, 5.1, "4", True, None, [4]])
def test_what_is_no_mark_of_the_scale_is_asked_for_again_and_then_no_value(mark: Any) -> None:
    question = RULE.ask(SUBJECT)[0]
    reply = json.dumps({"criterion": "criterion_1", "score": mark, "rationale": ""})

    score = settled(mark, 0)

    assert "a number from 1 to 5 at score" in RULE.complaint(question, reply)
    assert (score.value, score.verdict) == (None, "error")


def test_a_reply_about_another_criterion_is_not_taken() -> None:
    reply = json.dumps({"criterion": "criterion_2", "score": 4, "rationale": ""})

    assert "the text criterion_1" in RULE.complaint(RULE.ask(SUBJECT)[0], reply)


@pytest.mark.parametrize(
    "criteria",
    [
        [],
        [{"name": "a", "definition": "b"}, {"name": "a", "definition": "c"}],
        [{"name": "a b", "definition": "c"}],
        [{"name": "a", "definition": ""}],
        [{"name": "a", "definition": "b", "lowest": 5, "highest": 5}],
        [{"name": "a", "definition": "b", "highest": float("inf")}],
        [{"name": "a", "definition": "b", "lowest": float("nan")}],
        [{"name": "a", "definition": "b", "anchors": {"6": "too far"}}],
        [{"name": "a", "definition": "b", "anchors": {"good": "no number"}}],
        [{"name": "a", "definition": "b", "weight": -1}],
    ],
)
def test_a_scale_that_is_none_is_refused(criteria: list[dict[str, Any]]) -> None:
    with pytest.raises(ValidationError):
        ScaleJudge.model_validate({"name": "scales", "criteria": criteria})


@given(
    st.floats(-1_000_000, 1_000_000),
    st.floats(-1_000_000, 1_000_000),
    st.sampled_from(["highest", "lowest"]),
    st.floats(0, 1),
    st.text() | st.floats().map(lambda mark: json.dumps({"score": mark, "rationale": ""})),
)
def test_any_scale_and_any_reply_give_a_value_or_a_reason(
    one: float, other: float, best: Any, share: float, garbage: str
) -> None:
    lowest, highest = sorted((one, other))
    if lowest == highest:
        return
    criterion = ScaledCriterion(name="a", definition="b", lowest=lowest, highest=highest, best=best)
    rule = ScaleJudge(name="scales", criteria=(criterion,))
    mark = min(max(lowest + share * (highest - lowest), lowest), highest)

    good = settled(mark, rule=rule)
    bad = rule.settle(SUBJECT, [Answer(call="1", text=garbage)])

    assert good.value is not None
    assert 0 <= good.value <= 1
    assert (bad.value, bad.verdict) == (None, "error")
