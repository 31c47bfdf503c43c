"""What a grading contract says, and how it judges one answer."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import orjson
from pydantic import Field, field_validator, model_validator

from apps.artifacts.canonical import canonical, sha256_hex
from apps.contract import Contract

from .contracts import Answer, Aspect, Judgment, Outcome, Question, Score, Source, Subject
from .dialects import normalised
from .rules import AnyRule, Rule, grade_safely
from .rules.unexecutable import Unexecutable

MAX_RULES = 50
Answers = Mapping[str, Sequence[Answer]]
"""The judge's answers by the name of the rule that asked."""
Graded = tuple[Rule, Score]


class AtLeast(Contract):
    """A rate that must not be too low."""

    at_least: float = Field(
        ge=0, le=1, title="At least", description="The smallest acceptable rate, from 0 to 1."
    )
    by: Literal["lower", "point"] = Field(
        default="lower",
        title="Judged by",
        description="lower: the lower bound of the 95 % interval. point: the measured rate.",
    )


class AtMost(Contract):
    """A rate that must not be too high."""

    at_most: float = Field(
        ge=0, le=1, title="At most", description="The largest acceptable rate, from 0 to 1."
    )
    by: Literal["upper", "point"] = Field(
        default="point",
        title="Judged by",
        description="upper: the upper bound of the 95 % interval. point: the measured rate.",
    )


class AtMostCost(Contract):
    """An amount that must not be exceeded."""

    at_most: float = Field(
        ge=0,
        allow_inf_nan=False,
        title="At most",
        description="The largest acceptable amount, in the target's currency.",
    )
    by: Literal["upper", "point"] = Field(
        default="point",
        title="Judged by",
        description="upper: the upper bound of the 95 % interval. point: the measured amount.",
    )


class AtMostMs(Contract):
    """A latency that must not be too long."""

    at_most: int = Field(
        ge=1, le=3_600_000, title="At most", description="The longest acceptable latency in ms."
    )
    by: Literal["upper", "point"] = Field(
        default="point",
        title="Judged by",
        description="upper: the upper bound of the 95 % interval. point: the measured latency.",
    )


class Thresholds(Contract):
    """What a whole run must reach; each is optional."""

    score: AtLeast | None = Field(
        default=None,
        title="Score",
        description="The mean of the weighted scores; of several trials that of the records.",
    )
    pass_rate: AtLeast | None = Field(
        default=None,
        title="Pass rate",
        description="Passed of all answers that were judged; of several trials of the records.",
    )
    worst_slice: AtLeast | None = Field(
        default=None,
        title="Worst slice",
        description="The lowest pass rate of all slices with enough answers to say (20).",
    )
    failure_rate: AtMost | None = Field(
        default=None, title="Failure rate", description="Records that failed, of all valid ones."
    )
    latency_p95_ms: AtMostMs | None = Field(
        default=None,
        title="Latency p95",
        description="The latency in ms that 95 % of the answers do not exceed.",
    )
    cost: AtMostCost | None = Field(
        default=None, title="Cost", description="What one answer costs on average."
    )


class RuleSet(Contract):
    """Rules in their order and what an answer must reach by all of them."""

    rules: tuple[AnyRule, ...]
    passing_score: float | None = None

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple("contract" for _ in self.rules)

    @property
    def judge_rules(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.judge_names)


class ContractSpec(RuleSet):
    """The rules of a grading contract in their order, and what a run must reach as a whole."""

    description: str = Field(
        default="",
        max_length=5_000,
        title="Description",
        description="What this contract is for, in words for the people who read its results.",
    )
    rules: tuple[AnyRule, ...] = Field(
        max_length=MAX_RULES,
        title="Rules",
        description="Each judges every answer; their names are unique in the contract.",
    )
    passing_score: float | None = Field(
        default=None,
        ge=0,
        le=1,
        title="Passing score",
        description="An answer whose weighted score is below this fails, whatever each rule says; "
        "empty: the blocking rules alone decide.",
    )
    data_rules: Literal["combine", "ignore"] = Field(
        default="combine",
        title="Rules that came with the data",
        description="combine: the rules of records and datasets count too, and replace those of "
        "the same name here. ignore: only the rules of this contract count.",
    )
    trials: Literal["mean", "pass_any", "pass_all", "interval"] = Field(
        default="mean",
        title="Several trials of a record",
        description="What its trials make of a record. mean: the mean score, passed by most of "
        "them. pass_any: one is enough. pass_all: all of them. interval: the lower bound of the "
        "95 % t interval of the score.",
    )
    thresholds: Thresholds = Field(
        default=Thresholds(),
        title="Thresholds on the whole run",
        description="Shown as contract checks on the run page; no answer passes or fails by them.",
    )

    @field_validator("rules", mode="before")
    @classmethod
    def _in_our_words(cls, rules: Any) -> Any:
        return normalised(rules) if isinstance(rules, list | tuple) else rules

    @model_validator(mode="after")
    def _rules_told_apart(self) -> Self:
        # here and not on the field: pydantic would count only the rules that are valid
        if not self.rules:
            raise ValueError("a contract needs at least one rule")
        names = [rule.name for rule in self.rules]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two rules are named {', '.join(twice)}; each name may stand once")
        return self

    @property
    def canonical(self) -> bytes:
        """Canonical JSON with every default written out: a new default changes no old contract."""
        return canonical(self.model_dump(mode="json"))

    @property
    def sha256(self) -> str:
        return sha256_hex(self.canonical)


def stored_spec(text: str | bytes) -> ContractSpec:
    """The contract that a version keeps; one older than a setting is as it was without it."""
    document = orjson.loads(text)
    document.setdefault("data_rules", "ignore")
    return ContractSpec.model_validate(document)


def questions(spec: RuleSet, subject: Subject) -> dict[str, tuple[Question, ...]]:
    """What to ask the judge, by rule name; rules with nothing to ask are left out."""
    asked = {rule.name: rule.ask(subject) for rule in spec.judge_rules}
    return {name: calls for name, calls in asked.items() if calls}


def judge(spec: RuleSet, subject: Subject, answers: Answers | None = None) -> Judgment:
    """Every rule's score of one answer, the outcome and the weighted score.

    Blocking and required rules decide, in this order:

    - `failed`: one has a value below its threshold, whatever the others say;
    - `error`: one broke (its grader raised, its judge gave no readable answer);
    - `unjudged`: one could not say and was needed (`when_missing: unjudged`, or its judges
      disagree, or it is never carried out), or there are blocking rules and none of them
      applied to this record;
    - `passed`: otherwise. A rule that does not apply (`when_missing: skip`) leaves the decision
      to the others; a contract of warnings alone passes every answer.

    With a `passing_score` every rule with a weight has a part in the decision: the answer fails
    where the weighted score is below it, and where one of them broke that is an `error`. Where
    one is never carried out, or its judges disagree, the answer is `unjudged`: the score of the
    others is not that of the whole.

    The score is the weighted mean over all rules that have a value, warnings included, and None
    where none has or all weights are 0. A required rule below its threshold makes it 0.
    """
    given = answers or {}
    scores = tuple(
        _of_source(grade_safely(rule, subject, given.get(rule.name, ())), source)
        for rule, source in zip(spec.rules, spec.sources, strict=True)
    )
    pairs = tuple(zip(spec.rules, scores, strict=True))
    score = _weighted(pairs)
    outcome, reason = _outcome(pairs)
    if outcome == "passed" and spec.passing_score is not None:
        outcome, reason = _as_a_whole(pairs, score, spec.passing_score)
    return Judgment(
        scores=scores,
        outcome=outcome,
        score=score,
        process_score=_of_aspect(pairs, "process"),
        outcome_score=_of_aspect(pairs, "outcome"),
        reason=reason,
    )


def _of_source(score: Score, source: Source) -> Score:
    return score if score.source == source else score.model_copy(update={"source": source})


def _outcome(pairs: Sequence[Graded]) -> tuple[Outcome, str]:
    deciding = [(rule, score) for rule, score in pairs if rule.decides]
    if failed := [score for _, score in deciding if score.verdict == "fail"]:
        return "failed", _reasons("Below the threshold", failed)
    if broken := [score for _, score in deciding if score.verdict == "error"]:
        return "error", _reasons("No score", broken)
    skipped = [(rule, score) for rule, score in deciding if score.verdict == "skip"]
    if needed := [score for rule, score in skipped if _needed(rule, score)]:
        return "unjudged", _reasons("No score", needed)
    if deciding and len(skipped) == len(deciding):
        return "unjudged", _reasons("No blocking rule applies", [score for _, score in skipped])
    return "passed", ""


def _needed(rule: Rule, score: Score) -> bool:
    return rule.when_missing == "unjudged" or _left_open(rule, score)


def _left_open(rule: Rule, score: Score) -> bool:
    """Whatever it does where it cannot say: that lies with the judges, or with us."""
    return score.for_review or isinstance(rule, Unexecutable)


def _as_a_whole(pairs: Sequence[Graded], score: float | None, least: float) -> tuple[Outcome, str]:
    weighed = [score for rule, score in pairs if rule.weight]
    if broken := [score for score in weighed if score.verdict == "error"]:
        return "error", _reasons("No score", broken)
    if score is None:
        return "unjudged", _reasons("No score", [each for each in weighed if each.value is None])
    if missing := [each for rule, each in pairs if rule.weight and _left_open(rule, each)]:
        return "unjudged", _reasons("No score", missing)
    if score < least:
        return "failed", f"The score {score:.3g} is below the passing score {least:g}"
    return "passed", ""


def _reasons(heading: str, scores: Sequence[Score]) -> str:
    return f"{heading}: " + "; ".join(
        f"{score.rule} ({score.reason or f'{score.value:.3g}'})" for score in scores
    )


def _of_aspect(pairs: Sequence[Graded], aspect: Aspect) -> float | None:
    return _weighted([(rule, score) for rule, score in pairs if rule.aspect == aspect])


def _weighted(pairs: Sequence[Graded]) -> float | None:
    parts = [(rule, score.value) for rule, score in pairs if score.value is not None]
    total = sum(rule.weight for rule, _ in parts)
    if not total:
        return None
    if any(rule.required and value < rule.threshold for rule, value in parts):
        return 0.0
    return min(sum(rule.weight * value for rule, value in parts) / total, 1.0)
