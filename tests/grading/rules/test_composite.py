"""Rules made of rules: what they sum up, and what a member without a value does."""

import json
import os
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from apps.grading.combining import OwnRules, own
from apps.grading.contracts import Answer, Score, Subject

from .composites import ALPHA, BETA, JUDGE, SAYS_ALPHA, composite

CHECKOUT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
CONFORMANCE = SHARED / "conformance" / "agentv_assertions.json"
PROGRAM = {"type": "unexecutable", "name": "program"}
UNKNOWN = {"type": "numeric", "name": "number"}


def texts(score: Score) -> list[tuple[str, bool]]:
    return [(check.text, check.passed) for check in score.checks]


# -- aggregators ----------------------------------------------------------------------------


def test_members_are_averaged_by_their_weights() -> None:
    weights = {"type": "weighted_average", "weights": {"a": 0.7, "b": 0.3}}

    score = composite(ALPHA, BETA, aggregator=weights).grade(SAYS_ALPHA)

    assert (score.value, score.verdict) == (0.7, "fail")
    assert texts(score) == [
        ('[a] Output contains "alpha"', True),
        ('[b] Output does not contain "beta"', False),
    ]
    assert [
        (each["name"], each["type"], each["score"], each["weight"], each["verdict"])
        for each in (score.raw or {})["scores"]
    ] == [("a", "contains", 1, 0.7, "pass"), ("b", "contains", 0, 0.3, "fail")]


def test_a_member_that_is_not_named_has_the_weight_of_its_own() -> None:
    heavy = {**ALPHA, "weight": 3}

    assert composite(ALPHA, BETA).grade(SAYS_ALPHA).value == 0.5
    assert composite(heavy, BETA).grade(SAYS_ALPHA).value == 0.75
    weights = {"weights": {"a": 1}}
    assert composite(heavy, BETA, aggregator=weights).grade(SAYS_ALPHA).value == 0.5


def test_without_any_weight_the_value_is_0() -> None:
    weights = {"weights": {"a": 0, "b": 0}}

    assert composite(ALPHA, BETA, aggregator=weights).grade(SAYS_ALPHA).value == 0


@pytest.mark.parametrize(("threshold", "verdict"), [(0.5, "pass"), (0.6, "fail")])
def test_a_share_of_passing_members_may_be_enough(threshold: float, verdict: str) -> None:
    rule = composite(
        ALPHA, BETA, aggregator={"type": "threshold", "threshold": threshold}, threshold=0.9
    )

    score = rule.grade(SAYS_ALPHA)

    assert (score.value, score.verdict, rule.threshold) == (0.5, verdict, threshold)
    assert texts(score)[0] == (
        f"1/2 evaluators passed (threshold: {threshold:g})",
        verdict == "pass",
    )


@pytest.mark.parametrize("kind", ["code", "llm"])
def test_what_programs_and_models_make_of_scores_is_not_known(
    kind: Literal["code", "llm"],
) -> None:
    rule = composite(ALPHA, JUDGE, aggregator={"type": kind, "said": {"path": "gate.js"}})

    assert rule.grade(SAYS_ALPHA).verdict == "skip"
    assert "aggregates the members" in rule.grade(SAYS_ALPHA).reason
    assert (rule.judge_names, rule.ask(SAYS_ALPHA)) == ((), ())


def test_a_required_member_below_its_threshold_makes_it_0() -> None:
    assert composite(ALPHA, {**BETA, "required": True}).grade(SAYS_ALPHA).value == 0


# -- members without a value ----------------------------------------------------------------


def test_a_member_that_cannot_say_is_left_out() -> None:
    score = composite(ALPHA, UNKNOWN).grade(SAYS_ALPHA)

    assert score.value == 1
    assert [each["verdict"] for each in (score.raw or {})["scores"]] == ["pass", "skip"]


def test_where_no_member_can_say_the_composite_cannot() -> None:
    score = composite(UNKNOWN, PROGRAM).grade(SAYS_ALPHA)

    assert (score.verdict, score.reason) == (
        "skip",
        "All evaluators skipped (infrastructure failure)",
    )


def test_the_rest_does_not_pass_for_the_whole_where_a_member_is_a_program() -> None:
    score = composite(ALPHA, PROGRAM).grade(SAYS_ALPHA)
    weights = {"weights": {"program": 0}}

    assert (score.verdict, score.reason) == (
        "skip",
        "[program] Programs that come with data are never executed.",
    )
    assert composite(ALPHA, PROGRAM, aggregator=weights).grade(SAYS_ALPHA).value == 1


def test_a_member_that_broke_breaks_the_composite() -> None:
    rule = composite(ALPHA, JUDGE)
    (question,) = rule.ask(SAYS_ALPHA)

    score = rule.settle(SAYS_ALPHA, [Answer(call=question.call, text=None, reason="It is down.")])

    assert score.verdict == "error"
    assert score.reason.startswith("[j] ")
    assert "It is down." in score.reason


# -- conformance ----------------------------------------------------------------------------


@pytest.mark.skipif(
    not CONFORMANCE.is_file(),
    reason="no conformance files: set EVALHUB_SHARED to the shared folder",
)
def test_agentvs_composite_has_its_scores_and_texts() -> None:
    cases = json.loads(CONFORMANCE.read_text())
    case = next(each for each in cases if each.get("name") == "composite_avg")
    said = case["scores"][0]

    (rule,) = own(OwnRules(rules=tuple(case["list"])))
    score = rule.grade(Subject(response=case["output"]))

    assert (rule.name, rule.type, score.value) == (said["name"], said["type"], said["score"])
    assert [check.model_dump(exclude_defaults=True) for check in score.checks] == [
        *said["assertions"]
    ]
    kept = ("name", "type", "score", "weight", "verdict", "assertions")
    assert [{key: each[key] for key in kept} for each in (score.raw or {})["scores"]] == [
        {key: each[key] for key in kept} for each in said["scores"]
    ]
    assert {key: (score.raw or {})[key] for key in said["input"]} == said["input"]


# -- properties -----------------------------------------------------------------------------

LEAVES = st.sampled_from([ALPHA, BETA, UNKNOWN, PROGRAM, {"type": "valid_json"}])
RULES = st.recursive(
    LEAVES,
    lambda inner: st.fixed_dictionaries(
        {
            "type": st.just("composite"),
            "rules": st.lists(inner, min_size=1, max_size=4),
            "aggregator": st.fixed_dictionaries(
                {"type": st.sampled_from(["weighted_average", "threshold", "code", "llm"])},
                optional={"threshold": st.floats(0, 1)},
            ),
            "negate": st.booleans(),
        }
    ),
    max_leaves=8,
)


@given(st.lists(RULES, min_size=1, max_size=4), st.text(max_size=10) | st.just("alpha beta"))
def test_any_nest_of_rules_gives_a_value_or_a_reason(rules: list[Any], response: str) -> None:
    try:
        rule = composite(*rules)
    except ValidationError:
        assume(False)  # nested too deep

    score = rule.grade(Subject(response=response))

    assert (score.value is None) == (score.verdict == "skip")
    assert score.value is None or 0 <= score.value <= 1
