"""A grading contract as a whole: its outcome, its weighted score, its hash."""

import orjson
import pytest

from apps.grading.contracts import Answer
from apps.grading.rules import (
    CriteriaJudge,
    ExactMatch,
    MaxLatency,
    Regex,
    Rule,
    TokenF1,
)
from apps.grading.spec import ContractSpec, judge, questions, stored_spec
from apps.grading.starters import STARTERS, starter_spec

from .subjects import answered

PASSES = Regex(name="passes", pattern="yes")
FAILS = Regex(name="fails", pattern="no")
WARNS = Regex(name="warns", pattern="no", blocking=False)
LACKS = ExactMatch(name="lacks")
LACKS_LENIENT = ExactMatch(name="lacks_lenient", when_missing="skip")
LACKS_WARNING = ExactMatch(name="lacks_warning", blocking=False)
NOT_MEANT = MaxLatency(name="not_meant")
BREAKS = CriteriaJudge(name="breaks", default_criteria=("overall",))
NO_MATCH = "Below the threshold: fails (Output does not match pattern /no/)"
BREAKS_WARNING = CriteriaJudge(name="breaks_warning", default_criteria=("overall",), blocking=False)


@pytest.mark.parametrize(
    ("rules", "outcome", "reason"),
    [
        ([PASSES], "passed", ""),
        ([PASSES, WARNS], "passed", ""),
        ([PASSES, FAILS], "failed", NO_MATCH),
        ([FAILS, BREAKS, LACKS], "failed", NO_MATCH),
        ([PASSES, BREAKS], "error", "No score: breaks (overall: The judge was not asked.)"),
        ([BREAKS, LACKS], "error", "No score: breaks (overall: The judge was not asked.)"),
        ([PASSES, LACKS], "unjudged", "No score: lacks (The record has no reference answer.)"),
        ([PASSES, LACKS_LENIENT], "passed", ""),
        ([PASSES, NOT_MEANT], "passed", ""),
        (
            [NOT_MEANT],
            "unjudged",
            "No blocking rule applies: not_meant (The record sets no expected.max_latency_ms.)",
        ),
        ([PASSES, BREAKS_WARNING], "passed", ""),
        ([PASSES, LACKS_WARNING], "passed", ""),
        ([WARNS], "passed", ""),
        ([WARNS, BREAKS_WARNING], "passed", ""),
    ],
)
def test_blocking_rules_decide_and_warnings_only_warn(
    rules: list[Rule], outcome: str, reason: str
) -> None:
    spec = ContractSpec(rules=tuple(rules))

    judgment = judge(spec, answered("yes"))

    assert (judgment.outcome, judgment.reason) == (outcome, reason)


def test_every_rule_has_its_score_in_the_order_of_the_contract() -> None:
    spec = ContractSpec(rules=(FAILS, PASSES, WARNS, LACKS))

    judgment = judge(spec, answered("yes"))

    assert [(score.rule, score.verdict) for score in judgment.scores] == [
        ("fails", "fail"),
        ("passes", "pass"),
        ("warns", "warn"),
        ("lacks", "skip"),
    ]


@pytest.mark.parametrize(
    ("rules", "score"),
    [
        ([PASSES, FAILS], 0.5),
        ([PASSES.model_copy(update={"weight": 3}), WARNS], 0.75),
        ([PASSES, LACKS, BREAKS], 1.0),
        ([PASSES.model_copy(update={"weight": 0})], None),
        ([LACKS], None),
    ],
)
def test_the_weighted_score_is_over_the_rules_that_have_a_value(
    rules: list[Rule], score: float | None
) -> None:
    judgment = judge(ContractSpec(rules=tuple(rules)), answered("yes"))

    assert judgment.score == score


def test_the_judge_is_asked_by_rule_and_its_answers_are_settled_by_rule() -> None:
    strict = CriteriaJudge(name="strict", default_criteria=("clarity",), threshold=1.0)
    spec = ContractSpec(rules=(PASSES, CriteriaJudge(name="judge"), strict))
    subject = answered("yes")

    asked = questions(spec, subject)
    text = '{"criterion": "clarity", "score": 9, "rationale": ""}'
    judgment = judge(spec, subject, {"strict": [Answer(call="clarity", text=text)]})

    assert {name: [q.call for q in calls] for name, calls in asked.items()} == {
        "strict": ["clarity"]
    }
    assert judgment.outcome == "failed"
    assert judgment.reason == "Below the threshold: strict (0.889)"


def test_the_hash_names_the_meaning_not_the_spelling() -> None:
    short = ContractSpec.model_validate({"rules": [{"type": "exact_match", "name": "exact"}]})
    spelled = {"name": "exact", "weight": 1, "type": "exact_match", "blocking": True}
    full = ContractSpec.model_validate({"rules": [spelled], "description": "", "thresholds": {}})
    other = ContractSpec.model_validate({"rules": [{**spelled, "weight": 2}]})

    assert short.sha256 == full.sha256
    assert short.sha256 != other.sha256
    assert len(short.sha256) == 64


def test_the_order_of_the_rules_is_part_of_the_contract() -> None:
    assert ContractSpec(rules=(PASSES, WARNS)).sha256 != ContractSpec(rules=(WARNS, PASSES)).sha256


@pytest.mark.parametrize("spec", [starter_spec(starter) for starter in STARTERS])
def test_the_canonical_text_reads_back_as_the_same_contract(spec: ContractSpec) -> None:
    again = ContractSpec.model_validate_json(spec.canonical)

    assert again == spec
    assert again.sha256 == spec.sha256


def test_a_contract_stored_before_a_setting_was_added_means_what_it_meant() -> None:
    common = {"blocking": True, "threshold": 1.0, "weight": 1.0, "when_missing": "unjudged"}
    contains = {"values": ["a", "b"], "mode": "any", "ignore_case": False, "nfc": True}
    regex = {"pattern": "^A", "whole": False, "ignore_case": True, "multiline": False}
    stored = {
        "description": "",
        "passing_score": None,
        "rules": [
            {"type": "contains", "name": "c", **common, **contains},
            {"type": "regex", "name": "r", **common, **regex, "dot_all": False},
        ],
        "thresholds": {"failure_rate": None, "latency_p95_ms": None, "pass_rate": None},
    }

    spec = stored_spec(orjson.dumps(stored))

    assert spec.data_rules == "ignore"
    assert judge(spec, answered("abc")).outcome == "passed"
    assert judge(spec, answered("bc")).outcome == "failed"
    assert stored_spec(spec.canonical) == spec


def test_the_starters_judge_as_they_say() -> None:
    reference = "Overfitting is fitting noise."
    subject = answered("overfitting  is fitting noise.", reference=reference, latency_ms=10)

    assert judge(starter_spec("exact"), subject).outcome == "passed"
    assert judge(starter_spec("reference"), subject).outcome == "passed"
    assert judge(starter_spec("judge"), subject).outcome == "error"  # nobody asked the judge
    assert list(questions(starter_spec("judge"), subject)) == ["judge"]


def test_a_late_answer_of_a_starter_warns_and_does_not_fail() -> None:
    subject = answered("yes", reference="yes", latency_ms=3_000, expected={"max_latency_ms": 2_000})

    judgment = judge(starter_spec("exact"), subject)

    assert [score.verdict for score in judgment.scores] == ["pass", "warn"]
    assert (judgment.outcome, judgment.score) == ("passed", 1.0)


def test_two_rules_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two rules are named f1"):
        ContractSpec(rules=(TokenF1(name="f1"), TokenF1(name="f1", threshold=0.9)))
