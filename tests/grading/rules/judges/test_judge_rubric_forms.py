"""The judge by rubric: bands, operators, policies, shares, and one question for all criteria."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from apps.grading.contracts import Answer
from apps.grading.rules.judges.rubric import RubricJudge
from apps.grading.rules.judging.bands import bands
from apps.grading.subjects import RubricItem

from .rubrics import BANDS, RULE, settled, with_rubric

BANDED = RubricItem.model_validate({"id": "facts", "title": "Facts", **BANDS})


@pytest.mark.parametrize(
    ("points", "value", "passed"),
    [(0, 0.0, False), (6, 0.6, False), (7, 0.7, True), (10, 1.0, True)],
)
def test_a_mark_from_0_to_10_counts_a_tenth_and_passes_from_7(
    points: int, value: float, passed: bool
) -> None:
    score = settled(with_rubric(BANDED), {"score": points, "rationale": "so"})

    assert (score.value, score.checks[0].passed) == (value, passed)


@pytest.mark.parametrize("points", [11, -1, 6.5, "7", True, None])
def test_a_mark_that_is_no_whole_number_from_0_to_10_is_asked_for_again(points: Any) -> None:
    question = RULE.ask(with_rubric(BANDED))[0]
    reply = json.dumps({"score": points, "rationale": ""})

    assert "a whole number from 0 to 10" in RULE.complaint(question, reply)


@pytest.mark.parametrize(
    ("ranges", "found"),
    [
        ({"0-3": "a", "4-10": "b"}, {"0-3": "a", "4-10": "b"}),
        ({"4 \u2013 10": "b", "0-3": "a"}, {"0-3": "a", "4-10": "b"}),
        ({"0-9": "a", "10": "b"}, {"0-9": "a", "10": "b"}),
        ({"0": "a", "3": "b", "10": "c"}, {"0-2": "a", "3-9": "b", "10": "c"}),
        ({"3": "b"}, "the mark 0 is in none of the score ranges; each is in one"),
        ({"0-5": "a", "5-10": "b"}, "the mark 5 is in 2 of the score ranges; each is in one"),
        ({"0-11": "a"}, "the score ranges go from 0 up to 10"),
        ({"10-0": "a"}, "the score ranges go from 0 up to 10"),
        ({"low": "a"}, "the score range 'low' is not written like 0-3 or 4"),
        ({"0": "a", " 0": "b"}, "the mark 0 is in 2 of the score ranges; each is in one"),
    ],
)
def test_score_ranges_hold_each_mark_once(ranges: dict[str, str], found: Any) -> None:
    assert bands(ranges) == found


def test_the_judge_sees_the_bands_and_never_the_weights() -> None:
    item = RubricItem(id="a", title="Facts", weight=-77, score_ranges={"0": "bad", "5": "good"})

    question = RULE.ask(with_rubric(item))[0]

    assert '"score_ranges": {"0-4": "bad", "5-10": "good"}' in question.user
    assert "77" not in question.user + question.system


def test_operators_ask_for_a_statement_or_for_the_absence_of_its_contrary() -> None:
    states, denies = RULE.ask(
        with_rubric(
            RubricItem(id="a", title="Revenue rose", operator="correctness"),
            RubricItem(id="b", title="Margin fell", operator="contradiction"),
        )
    )

    assert "state it correctly" in states.user
    assert "free of anything that contradicts" in denies.user


@pytest.mark.parametrize(
    ("policy", "keys", "reply"),
    [
        ("", ["criteria_met", "rationale"], {"criteria_met": "yes", "rationale": "so"}),
        ("prbench_v1", ["explanation", "criteria_met"], {"explanation": "so", "criteria_met": 1}),
        ("apexv1_extended_v1", ["reason", "result"], {"result": 1, "reason": "so"}),
    ],
)
def test_a_policy_has_its_own_form_of_reply(
    policy: str, keys: list[str], reply: dict[str, Any]
) -> None:
    subject = with_rubric(RubricItem(id="a"), policy=policy)

    score = settled(subject, reply)

    assert list(RULE.ask(subject)[0].reply) == keys
    assert score.value == 1
    assert score.raw is not None
    assert score.raw["opinions"][0]["rationale"] == "so"


def test_shares_count_as_they_are() -> None:
    rule = RubricJudge(name="rubric", marks="share")
    subject = with_rubric(RubricItem(id="a"), RubricItem(id="b", weight=3))

    score = settled(subject, {"score": 0.9}, {"score": 0.5}, rule=rule)

    assert score.value == pytest.approx(0.6)
    assert [check.passed for check in score.checks] == [True, False]
    assert rule.complaint(rule.ask(subject)[0], '{"score": 7}').endswith("not within 0 and 1.")


ALL = RubricJudge(name="rubric", questions="all")
TWO = with_rubric(RubricItem(id="remedy", title="Reduction", weight=2), RubricItem(id="notice"))


@pytest.mark.parametrize(
    "criteria",
    [
        {"criterion_1": 1, "criterion_2": 0},
        {"remedy": True, "Notice": 0.4},
        {"REDUCTION": 0.5, "criterion 2": 0, "extra": 1},
    ],
)
def test_one_question_for_all_criteria_is_read_by_their_names(criteria: dict[str, Any]) -> None:
    reply = json.dumps({"criteria": criteria, "score": 0.1, "rationale": "so"})

    score = ALL.settle(TWO, [Answer(call="all", text=reply)])

    assert len(ALL.ask(TWO)) == 1
    assert score.value == pytest.approx(2 / 3)
    assert score.raw is not None
    assert score.raw["criteria"] == {"remedy": 1.0, "notice": 0.0}


def test_a_reply_to_all_that_lacks_a_criterion_is_asked_for_again_and_then_no_value() -> None:
    few = json.dumps({"criteria": {"remedy": 1}, "score": 1})
    other = json.dumps({"criteria": {"remedy": 1, "kindness": 1}, "score": 1})

    complaint = ALL.complaint(ALL.ask(TWO)[0], few)
    score = ALL.settle(TWO, [Answer(call="all", text=other)])

    assert complaint == "The judge's reply has 1 of the 2 criteria."
    assert (score.verdict, score.reason) == (
        "error",
        "The judge's reply does not name criterion_2.",
    )


@pytest.mark.parametrize("item", [BANDED, RubricItem(id="a", operator="contradiction")])
def test_bands_and_operators_need_a_question_for_each_criterion(item: RubricItem) -> None:
    score = ALL.settle(with_rubric(item), ())

    assert score.verdict == "skip"
    assert score.reason == "Score ranges and operators need a question for each criterion."


@pytest.mark.parametrize(
    "wrong",
    [
        {"items": [{"id": "a"}, {"id": "a"}]},
        {"items": [{"id": "a", "operator": "vibes"}]},
        {"items": [{"id": "a", "score_ranges": {"0-3": "x"}}]},
        {"items": [{"id": "a", "weight": float("inf")}]},
        {"items": [{"id": ""}]},
        {"items": [{"id": str(n)} for n in range(101)]},
        {"questions": "all", "panel": ["a", "b"], "panel_mode": "majority"},
    ],
)
def test_settings_that_cannot_be_carried_out_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RubricJudge.model_validate({"name": "rubric", **wrong})


items = st.builds(
    RubricItem,
    id=st.text(max_size=5) | st.sampled_from(["a", "b", "criterion_2"]),
    title=st.text(max_size=10),
    description=st.text(max_size=10),
    weight=st.floats(-10, 10) | st.floats(),
    required=st.booleans(),
    operator=st.sampled_from(["", "", "correctness", "contradiction", "other"]),
    min_score=st.none() | st.floats(),
    score_ranges=st.just({})
    | st.just({"0": "x", "5": "y"})
    | st.dictionaries(st.text(max_size=4), st.text(max_size=4), max_size=3),
)
scalars = st.none() | st.booleans() | st.integers(-1, 11) | st.floats() | st.text(max_size=5)
named = st.dictionaries(st.sampled_from(["a", "b", "criterion_1", "criterion_2"]), scalars)
keys = {"criteria_met": scalars, "score": scalars, "rationale": scalars, "criteria": named}
replies = st.text() | st.fixed_dictionaries({}, optional=keys).map(json.dumps)
said = st.lists(
    st.builds(
        Answer,
        call=st.sampled_from(["1", "2", "3", "1#2", "2#2", "all"]),
        text=st.none() | replies,
        reason=st.text(max_size=5),
    ),
    max_size=8,
)


@given(
    st.lists(items, max_size=3),
    said,
    st.sampled_from(["met", "share"]),
    st.sampled_from(["each", "all"]),
    st.booleans(),
    st.sampled_from([(), ("a", "b")]),
)
def test_any_rubric_and_any_replies_give_a_value_or_a_reason(
    rubric: list[RubricItem],
    answers: list[Answer],
    marks: Any,
    questions: Any,
    negate: bool,
    panel: Any,
) -> None:
    rule = RubricJudge(
        name="rubric",
        marks=marks,
        questions=questions,
        negate=negate,
        panel=panel,
        panel_mode="round_robin" if questions == "all" else "majority",
    )
    subject = with_rubric(*rubric)

    score = rule.settle(subject, answers)

    assert (score.value is None) == (score.verdict in ("skip", "error"))
    assert score.value is None or 0 <= score.value <= 1
    assert score.reason or score.value is not None
    for question in rule.ask(subject):
        for answer in answers:
            assert isinstance(rule.complaint(question, answer.text or ""), str)
            rule.reask(question, answer.text or "")
