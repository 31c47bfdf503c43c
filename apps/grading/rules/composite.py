"""A rule made of rules."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Field,
    SerializeAsAny,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from apps.grading.contracts import Answer, Check, Question, Score, Subject, Verdict
from apps.grading.rules.aggregators import ELSEWHERE, Aggregator
from apps.grading.rules.base import Example, Rule, grade_safely
from apps.grading.rules.judging.rule import LONGEST_JUDGE, OF_THE_DATA
from apps.grading.rules.members import MemberQuestion, asked_for, members, own_calls
from apps.grading.rules.unexecutable import Unexecutable
from apps.grading.rules.words import kept

MOST_CHECKS = 200
MOST_OF_ONE = 50
ALL_SKIPPED = "All evaluators skipped (infrastructure failure)"
_Graded = list[tuple[Rule, Score]]


class Composite(Rule):
    """Several rules that make one score.

    Each member grades the answer by itself. weighted_average: the mean of their values, each with
    its weight. threshold: the share of members that pass, which must be at least that of the
    aggregator: it takes the place of this rule's threshold. A member passes by its own verdict: a
    rubric with an unmet required criterion does not, whatever its value. A member that cannot say
    is left out; if none can say, neither can this rule. A member that broke, or whose judge gave
    no readable answer, breaks it: what is missing there might have been a fail. A required member
    that does not pass makes the value 0. The checks of a member begin with its name in brackets.

    Members may ask judges, each its own, and may be composites again, 5 deep and 200 in all. An
    aggregator of another format that is a program or a model gives no score.
    """

    title = "Composite"
    examples = (
        Example(
            says="One member of two passes, with the larger weight.",
            settings={
                "rules": [
                    {"type": "contains", "name": "a", "value": "alpha"},
                    {"type": "contains", "name": "b", "value": "beta"},
                ],
                "aggregator": {"type": "weighted_average", "weights": {"a": 0.7, "b": 0.3}},
            },
            subject=Subject(response="alpha"),
            value=0.7,
        ),
        Example(
            says="Half of the members pass, and half is enough.",
            settings={
                "rules": [
                    {"type": "contains", "name": "a", "value": "alpha"},
                    {"type": "contains", "name": "b", "value": "beta"},
                ],
                "aggregator": {"type": "threshold", "threshold": 0.5},
            },
            subject=Subject(response="alpha"),
            value=0.5,
        ),
    )

    type: Literal["composite"] = "composite"
    rules: Annotated[
        tuple[SerializeAsAny[Rule], ...],
        WithJsonSchema({"type": "array", "minItems": 1, "items": {"type": "object"}}),
    ] = Field(
        min_length=1,
        max_length=50,
        title="Rules",
        description="The members, each as any rule. A second of one name gets a number.",
    )
    aggregator: Aggregator = Field(
        default=Aggregator(),
        title="Aggregator",
        description="How the scores of the members become one.",
    )

    @field_validator("rules", mode="before")
    @classmethod
    def _as_rules(cls, rules: Any, info: ValidationInfo) -> Any:
        return members(rules, info.context) if isinstance(rules, list | tuple) else rules

    @model_validator(mode="before")
    @classmethod
    def _one_threshold(cls, fields: Any) -> Any:
        """The share that must pass is what decides, so it is the threshold of the rule."""
        aggregator = fields.get("aggregator") if isinstance(fields, Mapping) else None
        if isinstance(aggregator, Aggregator):
            aggregator = aggregator.model_dump()
        if not isinstance(aggregator, Mapping) or aggregator.get("type") != "threshold":
            return fields
        return {**fields, "threshold": aggregator.get("threshold", 1.0)}

    @model_validator(mode="after")
    def _weights_of_members(self, info: ValidationInfo) -> Self:
        """A slip in a contract; in data it is of no consequence, as in agentv."""
        unknown = self.aggregator.weights.keys() - {rule.name for rule in self.rules}
        if unknown and not (info.context or {}).get(OF_THE_DATA):
            raise ValueError(f"weights name {', '.join(sorted(unknown)[:5])}, which is no member")
        return self

    @property
    def verifier(self) -> str:
        """With a hash of those of the members: what changes them changes what this one says."""
        theirs = " ".join(rule.verifier for rule in self.rules)
        return f"{super().verifier}:{hashlib.sha256(theirs.encode()).hexdigest()[:16]}"

    @property
    def judge_names(self) -> tuple[str, ...]:
        if self.aggregator.type in ELSEWHERE:
            return ()
        return tuple(dict.fromkeys(name for rule in self.rules for name in rule.judge_names))

    def ask(self, subject: Subject) -> tuple[Question, ...]:
        if self.aggregator.type in ELSEWHERE:
            return ()
        return tuple(
            asked_for(place, question)
            for place, rule in enumerate(self.rules)
            for question in rule.ask(subject)
        )

    def complaint(self, question: Question, text: str) -> str:
        if not isinstance(question, MemberQuestion):
            return ""
        return self.rules[question.place].complaint(question.asked, text)

    def reask(self, question: Question, bad_text: str) -> Question:
        if not isinstance(question, MemberQuestion):
            return question
        again = self.rules[question.place].reask(question.asked, bad_text)
        return asked_for(question.place, again).model_copy(update={"call": question.call})

    def grade(self, subject: Subject) -> Score:
        return self.settle(subject, ())

    def settle(self, subject: Subject, answers: Sequence[Answer]) -> Score:
        if self.aggregator.type in ELSEWHERE:
            return self.cannot_say(ELSEWHERE[self.aggregator.type])
        graded: _Graded = [
            (rule, grade_safely(rule, subject, own_calls(place, rule, subject, answers)))
            for place, rule in enumerate(self.rules)
        ]
        raw = {**self._how, "scores": [self._told(rule, score) for rule, score in graded]}
        broken = [score for _, score in graded if score.verdict == "error"]
        if broken:
            return self.broke(kept(f"[{broken[0].rule}] {broken[0].reason}", 500), raw=raw)
        if torn := [score for _, score in graded if score.for_review]:
            told = self.cannot_say(f"[{torn[0].rule}] {torn[0].reason}", raw=raw)
            return told.model_copy(update={"for_review": True})
        known = [(rule, score) for rule, score in graded if score.value is not None]
        missing = self._never_executed(graded)
        if known and missing:
            return self.cannot_say(missing, raw=raw)
        return self._aggregated(known, raw) if known else self.cannot_say(ALL_SKIPPED, raw=raw)

    def _never_executed(self, graded: _Graded) -> str:
        """Why the members that can say are not the whole; empty where they are."""
        missing = (
            f"[{rule.name}] {score.reason}"
            for rule, score in graded
            if isinstance(rule, Unexecutable) and self._weight(rule)
        )
        return next(missing, "")

    def _aggregated(self, known: _Graded, raw: dict[str, Any]) -> Score:
        checks = list(_checks(known))
        if self.aggregator.type == "threshold":
            value, passing = _share(known)
            told = f"{passing}/{len(known)} evaluators passed (threshold: {self.threshold:g})"
            checks = [Check(text=told, passed=value >= self.threshold), *checks]
        else:
            value = self._mean(known)
        if any(rule.required and score.verdict != "pass" for rule, score in known):
            value = 0.0
        return self.scored(value, checks=checks[:MOST_CHECKS], raw=raw)

    def _mean(self, known: _Graded) -> float:
        weights = [self._weight(rule) for rule, _ in known]
        pairs = zip(weights, known, strict=True)
        total = sum(weights)
        value = sum(weight * (score.value or 0) for weight, (_, score) in pairs)
        return min(value / total, 1.0) if total else 0.0

    def _weight(self, rule: Rule) -> float:
        return self.aggregator.weights.get(rule.name, rule.weight)

    @property
    def _how(self) -> dict[str, Any]:
        weights, kind = self.aggregator.weights, self.aggregator.type
        if kind == "threshold":
            return {"aggregator": kind, "threshold": self.threshold}
        return {"aggregator": kind, **({"weights": dict(weights)} if weights else {})}

    def _told(self, rule: Rule, score: Score) -> dict[str, Any]:
        """A member's score as the format of agentv nests it."""
        inner = (score.raw or {}).get("scores")
        return {
            "name": rule.name,
            "type": rule.type,
            "verifier": score.verifier,
            "score": score.value,
            "weight": self._weight(rule),
            "verdict": "fail" if score.verdict == "warn" else score.verdict,
            **({"reason": score.reason} if score.reason else {}),
            "assertions": [
                check.model_dump(exclude_defaults=True) for check in score.checks[:MOST_OF_ONE]
            ],
            **({"scores": inner} if rule.type == self.type and inner else {}),
        }

    def _score(self, verdict: Verdict, **said: Any) -> Score:
        score = super()._score(verdict, **said)
        if not self.judge_names:
            return score
        judges = " + ".join(name or "the judge of the run" for name in self.judge_names)
        judge = "" if self.judge_names == ("",) else kept(judges, LONGEST_JUDGE - 1)
        return score.model_copy(update={"method": "judge", "judge": judge})


def _checks(known: _Graded) -> Iterator[Check]:
    for rule, score in known:
        for check in score.checks:
            yield check.model_copy(update={"text": f"[{rule.name}] {check.text}"})


def _share(known: _Graded) -> tuple[float, int]:
    passing = sum(score.verdict == "pass" for _, score in known)
    return passing / len(known), passing


RULES: tuple[type[Rule], ...] = (Composite,)
