"""Contracts to start from, for people who have none yet."""

from typing import Literal, get_args

from .rules import CriteriaJudge, ExactMatch, MaxLatency, RougeL, TokenF1
from .rules.answers.choice import MultipleChoice
from .rules.judges.reference_judge import ReferenceJudge
from .rules.judges.rubric import RubricJudge
from .rules.pairs.families import GroundingJudge, RelevanceJudge, RetrievalJudge
from .spec import AtLeast, ContractSpec, Thresholds

Starter = Literal["exact", "reference", "judge", "legal", "pairs"]
STARTERS: tuple[Starter, ...] = get_args(Starter)


def starter_spec(starter: Starter) -> ContractSpec:
    """exact: the reference word for word. reference: enough words shared with it. judge: a model
    scores what the record requires. These warn where an answer took longer than the record allows.
    legal: rows of legal_eval_v1, each by its task type. pairs: queries with answers and context.
    """
    return {
        "exact": _exact,
        "reference": _reference,
        "judge": _judge,
        "legal": _legal,
        "pairs": _pairs,
    }[starter]()


def _exact() -> ContractSpec:
    return ContractSpec(
        description="The answer is the reference, but for case and spacing.",
        rules=(ExactMatch(name="exact", ignore_case=True), _latency()),
    )


def _reference() -> ContractSpec:
    return ContractSpec(
        description="The answer shares at least half of its words with the reference.",
        rules=(
            TokenF1(name="token_f1", threshold=0.5),
            RougeL(name="rouge_l", threshold=0.5, blocking=False),
            _latency(),
        ),
        thresholds=Thresholds(pass_rate=AtLeast(at_least=0.8)),
    )


def _judge() -> ContractSpec:
    return ContractSpec(
        description="A judge scores the criteria that the record requires, or the overall quality.",
        rules=(CriteriaJudge(name="judge", default_criteria=("overall",)), _latency()),
        thresholds=Thresholds(pass_rate=AtLeast(at_least=0.8)),
    )


def _legal() -> ContractSpec:
    return ContractSpec(
        description="Multiple choice by its right options, other questions by a judge: with the "
        "reference answers, or criterion by criterion of the rubric.",
        rules=(
            MultipleChoice(name="multiple_choice"),
            ReferenceJudge(name="reference", when_missing="skip"),
            RubricJudge(name="rubric", when_missing="skip"),
        ),
    )


def _pairs() -> ContractSpec:
    return ContractSpec(
        description="A judge looks at each pair: whether enough was retrieved, whether the answer "
        "stands on it, whether it is one to the query.",
        rules=(
            RetrievalJudge(name="retrieval"),
            GroundingJudge(name="grounding"),
            RelevanceJudge(name="relevance"),
        ),
    )


def _latency() -> MaxLatency:
    return MaxLatency(name="latency", blocking=False, weight=0)
