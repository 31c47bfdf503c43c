"""What every rule has and says: its settings, and a Score for one answer."""

import inspect
import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from apps.contract import Contract
from apps.grading.contracts import Answer, Question, Score, Subject, Verdict

from .words import kept

logger = logging.getLogger(__name__)

WhenMissing = Literal["skip", "unjudged"]


def threshold(default: float) -> Any:
    """The field `threshold`, for rules whose usual threshold is not 1."""
    return Field(
        default=default,
        ge=0,
        le=1,
        title="Threshold",
        description="The answer passes this rule with a value of at least this, from 0 to 1.",
    )


def when_missing(default: WhenMissing) -> Any:
    """The field `when_missing`: whether a record without a reference is a gap or not meant."""
    return Field(
        default=default,
        title="When there is nothing to judge by",
        description=(
            "Where the record lacks what this rule compares with. skip: the rule does not apply "
            "to that record and the other rules decide. unjudged: the rule was needed, so if it "
            "is blocking the answer counts as unjudged, neither pass nor fail."
        ),
    )


class Rule(Contract, ABC):
    """One check of a grading contract; a subclass adds its settings, `type` and `grade`.

    `version` rises whenever the same settings may give another value: it is part of the
    verifier that each Score names.
    """

    title: ClassVar[str]
    method: ClassVar[str] = "code"
    version: ClassVar[int] = 1

    type: str
    name: str = Field(
        pattern=r"^[a-z0-9_-]{1,64}$",
        title="Name",
        description="Unique in the contract: a-z, 0-9, _ and -, at most 64 characters.",
    )
    blocking: bool = Field(
        default=True,
        title="Blocking",
        description="An answer below the threshold fails the contract; otherwise it only warns.",
    )
    weight: float = Field(
        default=1.0,
        ge=0,
        le=1_000_000,
        allow_inf_nan=False,
        title="Weight",
        description="The share of this rule in the weighted score; 0 leaves it out.",
    )
    threshold: float = threshold(1.0)
    when_missing: WhenMissing = when_missing("unjudged")

    @classmethod
    def description(cls) -> str:
        """What the rule does, for pages: its docstring."""
        return (inspect.getdoc(cls) or "").replace("`", "")

    @abstractmethod
    def grade(self, subject: Subject) -> Score:
        """A value from 0 to 1, or None with a reason; may raise, `grade_safely` answers for it."""

    @property
    def verifier(self) -> str:
        return f"{self.type}@{self.version}"

    def scored(self, value: float, *, reason: str = "", raw: dict[str, Any] | None = None) -> Score:
        return self._score(self._verdict(value), value=value, reason=reason, raw=raw)

    def cannot_say(self, reason: str, *, raw: dict[str, Any] | None = None) -> Score:
        return self._score("skip", reason=reason, raw=raw)

    def broke(self, reason: str, *, raw: dict[str, Any] | None = None) -> Score:
        return self._score("error", reason=reason, raw=raw)

    def _verdict(self, value: float) -> Verdict:
        if value >= self.threshold:
            return "pass"
        return "fail" if self.blocking else "warn"

    def _score(
        self,
        verdict: Verdict,
        *,
        value: float | None = None,
        reason: str,
        raw: dict[str, Any] | None,
    ) -> Score:
        return Score(
            rule=self.name,
            value=value,
            verdict=verdict,
            reason=reason,
            method=self.method,
            verifier=self.verifier,
            raw=raw,
        )


class JudgeRule(Rule):
    """A rule that needs a model's opinion; it stays pure, the run engine makes the calls.

    For each question of `ask` the engine calls the judge. If `complaint` finds the text
    unreadable it asks `reask` once, and gives the last answer of each question to `settle`.
    """

    method: ClassVar[str] = "judge"

    judge: str = Field(
        default="",
        max_length=120,
        title="Judge",
        description="The name of the target that judges; empty: the judge named for the run.",
    )

    @abstractmethod
    def ask(self, subject: Subject) -> tuple[Question, ...]: ...

    @abstractmethod
    def complaint(self, question: Question, text: str) -> str:
        """What is wrong with the judge's text, in one sentence; empty where it can be read."""

    @abstractmethod
    def reask(self, question: Question, bad_text: str) -> Question: ...

    @abstractmethod
    def settle(self, subject: Subject, answers: Sequence[Answer]) -> Score: ...

    def grade(self, subject: Subject) -> Score:
        return self.settle(subject, ())

    def _score(self, verdict: Verdict, **said: Any) -> Score:
        return super()._score(verdict, **said).model_copy(update={"judge": self.judge})


def grade_safely(rule: Rule, subject: Subject, answers: Sequence[Answer] = ()) -> Score:
    """The rule's Score; a grader that raises gives an error with the reason, never a value."""
    try:
        if isinstance(rule, JudgeRule):
            return rule.settle(subject, answers)
        return rule.grade(subject)
    except Exception as error:  # whatever a grader does wrong concerns this score alone
        logger.exception("Rule %s (%s) broke on record %s", rule.name, rule.type, subject.record_id)
        return rule.broke(kept(f"The grader raised {type(error).__name__}: {error}", 500))
