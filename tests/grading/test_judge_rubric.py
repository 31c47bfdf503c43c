"""The judge by rubric: weights, bands, operators, required criteria, policies."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from apps.grading.contracts import Answer, Score, Subject
from apps.grading.rules.judges.rubric import AGGREGATE, MAX_CRITERIA, RubricJudge
from apps.grading.rules.judging.aggregating import aggregate, scores_of
from apps.grading.rules.judging.bands import bands
from apps.grading.subjects import RubricItem

CHECKOUT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
FILE = SHARED / "conformance" / "legal_weighted_rubric.json"
CASES: list[dict[str, Any]] = json.loads(FILE.read_text()) if FILE.exists() else []
RULE = RubricJudge(name="rubric")
BANDS = {"score_ranges": {"0-6": "Wrong", "7-10": "Right"}}
BANDED = RubricItem.model_validate({"id": "facts", "title": "Facts", **BANDS})


def with_rubric(*items: RubricItem, **more: Any) -> Subject:
    return Subject(prompt="What may the tenant do?", response="Pay less.", rubric=items, **more)


def settled(subject: Subject, *replies: Any, rule: RubricJudge = RULE) -> Score:
    texts = [each if isinstance(each, str) else json.dumps(each) for each in replies]
    answers = [Answer(call=str(n), text=text) for n, text in enumerate(texts, start=1)]
    return rule.settle(subject, answers)


def met(yes: bool, why: str = "") -> dict[str, Any]:
    return {"criteria_met": yes, "rationale": why}


@pytest.mark.skipif(
    not CASES, reason=f"{FILE.name} is not here: set EVALHUB_SHARED to the shared folder"
)
@pytest.mark.parametrize("case", CASES, ids=lambda case: json.dumps(case["criteria"]))
def test_a_weighted_rubric_is_aggregated_as_in_the_conformance_file(case: dict[str, Any]) -> None:
    items = [RubricItem(id=name, weight=weight) for name, weight in case["rubric"]]
    scores = scores_of(items, case["criteria"])

    found = aggregate([item.weight for item in items], scores, without_weights=0.0)

    assert found.model_dump() == pytest.approx(case["agg"])
    assert found.weighted_score == pytest.approx(case["score"])
    assert (found.weighted_score >= 0.7) is case["passed"]


@pytest.mark.parametrize(
    "key", ["Cites the Statute!", "cites_the_statute", "C-1", "criterion_1", "Criterion 1"]
)
def test_a_criterion_is_found_by_its_id_its_title_or_its_place(key: str) -> None:
    item = RubricItem(id="c1" if key != "C-1" else "c_1", title="Cites the statute")

    assert scores_of([item], {key: 0.5}) == (0.5,)


def test_the_score_weighs_the_criteria_and_keeps_how_it_was_computed() -> None:
    subject = with_rubric(
        RubricItem(id="good", title="Cites the statute", weight=8),
        RubricItem(id="more", title="Explains it"),
        RubricItem(id="bad", title="Invents a case", weight=-5),
    )

    score = settled(subject, met(True), met(False, "It does not."), met(True, "Smith v Jones."))

    assert score.value == pytest.approx((8 - 5 + 5) / 14)
    assert score.verdict == "fail"
    assert [(check.text, check.passed, check.evidence) for check in score.checks] == [
        ("[good] Cites the statute", True, ""),
        ("[more] Explains it", False, "It does not."),
        ("[bad] Must not: Invents a case", False, "Smith v Jones."),
    ]
    assert score.reason == "[more] Explains it; [bad] Must not: Invents a case"
    assert score.raw is not None
    assert score.raw["criteria"] == {"good": 1.0, "more": 0.0, "bad": 1.0}
    assert score.raw[AGGREGATE] == {
        "applied": True,
        "matched_criteria": 3,
        "total_criteria": 3,
        "raw_sum": 3.0,
        "min_raw": -5.0,
        "max_raw": 9.0,
        "weighted_score": pytest.approx(8 / 14),
        "normalized_points": pytest.approx(8 / 14),
        "clipped_points": pytest.approx(8 / 14),
    }


def test_where_all_weights_are_0_the_value_is_the_plain_mean() -> None:
    items = tuple(RubricItem(id=name, weight=0) for name in "ab")

    assert settled(with_rubric(*items), met(True), met(False)).value == 0.5


def test_the_rubric_of_the_rule_comes_before_that_of_the_record_and_its_criteria() -> None:
    own = RubricJudge.model_validate({"name": "r", "items": [{"id": "own"}]})
    subject = with_rubric(RubricItem(id="a"), RubricItem(id="b"), criteria="Be brief.")

    assert len(own.ask(subject)) == 1
    assert len(RULE.ask(subject)) == 2
    assert "Be brief." in RULE.ask(with_rubric(criteria="Be brief."))[0].user


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        ((), "The record has no rubric."),
        (
            (RubricItem(id="a"),) * (MAX_CRITERIA + 1),
            "The rubric has 101 criteria; at most 100 are judged.",
        ),
        (
            (RubricItem(id="a", operator="vibes"),),
            "The rubric cannot be used: criterion 1: its operator is neither correctness nor "
            "contradiction.",
        ),
        (
            (RubricItem(id="a"), RubricItem(id="b", score_ranges={"0-3": "x", "5-10": "y"})),
            "The rubric cannot be used: criterion 2: the mark 4 is in none of the score ranges; "
            "each is in one.",
        ),
        (
            (RubricItem(id="a", weight=float("inf")),),
            "The rubric cannot be used: the weights are too large to be added up.",
        ),
        (
            (RubricItem(id="a", weight=float("nan")),),
            "The rubric cannot be used: the weights are too large to be added up.",
        ),
    ],
)
def test_what_cannot_be_judged_is_not_asked_and_says_why(
    items: tuple[RubricItem, ...], reason: str
) -> None:
    subject = with_rubric(*items)

    score = settled(subject)

    assert RULE.ask(subject) == ()
    assert (score.value, score.verdict, score.reason) == (None, "skip", reason)


def test_a_long_rubric_on_huge_texts_is_bounded_in_time_and_size() -> None:
    subject = with_rubric(
        *(RubricItem(id=str(place)) for place in range(MAX_CRITERIA)), context="<" * 150_000
    )
    larger = subject.model_copy(update={"context": "<" * 200_000})
    started = time.perf_counter()

    asked = RULE.ask(subject)

    assert len(asked) == MAX_CRITERIA
    assert RULE.ask(larger) == ()
    assert RULE.settle(larger, ()).reason.startswith("The questions would have 20,0")
    assert time.perf_counter() - started < 5


def test_one_criterion_without_a_readable_reply_leaves_no_value() -> None:
    subject = with_rubric(RubricItem(id="a"), RubricItem(id="b"))

    score = settled(subject, met(True), "It is met.")

    assert (score.value, score.verdict) == (None, "error")
    assert score.reason == "criterion_2: The judge's reply is not one JSON object."


@pytest.mark.parametrize(
    ("items", "replies", "value", "verdict"),
    [
        ([{"required": True}, {"weight": 9}], [met(False), met(True)], 0.9, "fail"),
        ([{"required": True}, {"weight": 9}], [met(True), met(True)], 1.0, "pass"),
        ([{"required": True, "weight": -1}, {"weight": 9}], [met(True), met(True)], 0.9, "fail"),
        ([BANDS | {"required": True}, {"weight": 9}], [{"score": 6}, met(True)], 0.96, "fail"),
        ([BANDS | {"min_score": 0.8}, {"weight": 9}], [{"score": 7}, met(True)], 0.97, "fail"),
        ([BANDS | {"min_score": 8}, {"weight": 9}], [{"score": 8}, met(True)], 0.98, "pass"),
    ],
)
def test_a_required_criterion_that_is_missed_fails_the_rule_and_leaves_the_value(
    items: list[dict[str, Any]], replies: list[Any], value: float, verdict: str
) -> None:
    rubric = [RubricItem.model_validate({"id": str(n), **item}) for n, item in enumerate(items)]

    score = settled(with_rubric(*rubric), *replies)

    assert score.value == pytest.approx(value)
    assert score.verdict == verdict
    assert score.reason.startswith("Required and not met: ") is (verdict == "fail")


def test_a_missed_requirement_only_warns_where_the_rule_only_warns() -> None:
    rule = RubricJudge(name="rubric", blocking=False, threshold=0)

    score = settled(with_rubric(RubricItem(id="a", required=True)), met(False), rule=rule)

    assert score.verdict == "warn"


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
