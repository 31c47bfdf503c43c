"""What a grading contract says, and how it judges one answer."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from apps.artifacts.canonical import canonical, sha256_hex
from apps.contract import Contract

from .contracts import Answer, Judgment, Outcome, Question, Score, Subject
from .rules import RULES, AnyRule, JudgeRule, Rule, grade_safely

MAX_RULES = 50
Answers = Mapping[str, Sequence[Answer]]
"""The judge's answers by the name of the rule that asked."""


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

    pass_rate: AtLeast | None = Field(
        default=None, title="Pass rate", description="Passed of all answers that were judged."
    )
    failure_rate: AtMost | None = Field(
        default=None, title="Failure rate", description="Records that failed, of all valid ones."
    )
    latency_p95_ms: AtMostMs | None = Field(
        default=None,
        title="Latency p95",
        description="The latency in ms that 95 % of the answers do not exceed.",
    )


class ContractSpec(Contract):
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
    thresholds: Thresholds = Field(
        default=Thresholds(),
        title="Thresholds on the whole run",
        description="Shown as contract checks on the run page; no answer passes or fails by them.",
    )

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

    @property
    def judge_rules(self) -> tuple[JudgeRule, ...]:
        return tuple(rule for rule in self.rules if isinstance(rule, JudgeRule))


def questions(spec: ContractSpec, subject: Subject) -> dict[str, tuple[Question, ...]]:
    """What to ask the judge, by rule name; rules with nothing to ask are left out."""
    asked = {rule.name: rule.ask(subject) for rule in spec.judge_rules}
    return {name: calls for name, calls in asked.items() if calls}


def judge(spec: ContractSpec, subject: Subject, answers: Answers | None = None) -> Judgment:
    """Every rule's score of one answer, the outcome and the weighted score.

    Blocking rules decide, in this order:

    - `failed`: one has a value below its threshold, whatever the others say;
    - `error`: one broke (its grader raised, its judge gave no readable answer);
    - `unjudged`: one could not say and was needed (`when_missing: unjudged`), or there are
      blocking rules and none of them applied to this record;
    - `passed`: otherwise. A rule that does not apply (`when_missing: skip`) leaves the decision
      to the others; a contract of warnings alone passes every answer.

    The score is the weighted mean over all rules that have a value, warnings included, and None
    where none has or all weights are 0.
    """
    given = answers or {}
    scores = tuple(grade_safely(rule, subject, given.get(rule.name, ())) for rule in spec.rules)
    outcome, reason = _outcome(spec.rules, scores)
    score = _weighted(spec.rules, scores)
    return Judgment(scores=scores, outcome=outcome, score=score, reason=reason)


def catalog() -> tuple[dict[str, Any], ...]:
    """Every rule type for pages and forms: type, title, description, JSON schema of its fields."""
    return tuple(_entry(rule) for rule in RULES)


def _entry(rule: type[Rule]) -> dict[str, Any]:
    return {
        "type": rule.model_fields["type"].default,
        "title": rule.title,
        "description": rule.description(),
        "method": rule.method,
        "schema": rule.model_json_schema(),
    }


def _outcome(rules: Sequence[Rule], scores: Sequence[Score]) -> tuple[Outcome, str]:
    deciding = [(r, s) for r, s in zip(rules, scores, strict=True) if r.blocking]
    if failed := [s for _, s in deciding if s.verdict == "fail"]:
        return "failed", _reasons("Below the threshold", failed)
    if broken := [s for _, s in deciding if s.verdict == "error"]:
        return "error", _reasons("No score", broken)
    skipped = [(r, s) for r, s in deciding if s.verdict == "skip"]
    if needed := [s for r, s in skipped if r.when_missing == "unjudged"]:
        return "unjudged", _reasons("No score", needed)
    if deciding and len(skipped) == len(deciding):
        return "unjudged", _reasons("No blocking rule applies", [s for _, s in skipped])
    return "passed", ""


def _reasons(heading: str, scores: Sequence[Score]) -> str:
    return f"{heading}: " + "; ".join(
        f"{score.rule} ({score.reason or f'{score.value:.3g}'})" for score in scores
    )


def _weighted(rules: Sequence[Rule], scores: Sequence[Score]) -> float | None:
    parts = [(r.weight, s.value) for r, s in zip(rules, scores, strict=True) if s.value is not None]
    total = sum(weight for weight, _ in parts)
    if not total:
        return None
    return min(sum(weight * value for weight, value in parts) / total, 1.0)
