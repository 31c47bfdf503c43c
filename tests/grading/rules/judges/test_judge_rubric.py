"""The judge by rubric: weights, what cannot be judged, and required criteria."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from apps.grading.rules.judges.rubric import AGGREGATE, MAX_CRITERIA, RubricJudge
from apps.grading.rules.judging.aggregating import aggregate, scores_of
from apps.grading.subjects import RubricItem
from tests.bounds import bounded

from .rubrics import BANDS, RULE, settled, with_rubric

CHECKOUT = Path(__file__).resolve().parents[4]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
FILE = SHARED / "conformance" / "legal_weighted_rubric.json"
CASES: list[dict[str, Any]] = json.loads(FILE.read_text()) if FILE.exists() else []


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


def test_a_long_rubric_on_huge_texts_is_bounded_in_size_and_does_not_explode() -> None:
    subject = with_rubric(
        *(RubricItem(id=str(place)) for place in range(MAX_CRITERIA)), context="<" * 150_000
    )
    larger = subject.model_copy(update={"context": "<" * 200_000})

    with bounded(5):
        asked, refused = RULE.ask(subject), RULE.ask(larger)

    assert len(asked) == MAX_CRITERIA
    assert refused == ()
    assert RULE.settle(larger, ()).reason.startswith("The questions would have 20,0")


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
