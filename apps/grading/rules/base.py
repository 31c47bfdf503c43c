"""What every rule has and says: its settings, and a Score for one answer."""

import inspect
import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from apps.contract import Contract
from apps.grading.contracts import Answer, Aspect, Check, Question, Score, Subject, Verdict
from apps.grading.rules.words import kept

logger = logging.getLogger(__name__)

WhenMissing = Literal["skip", "unjudged"]
MOST_MISSED = 5


class Example(Contract):
    """Settings of a rule beside its name, an answer, and what the rule says of it.

    `answers` are a judge's texts by the call of their question; `value` None: no score.
    """

    says: str
    settings: dict[str, Any] = {}
    subject: Subject
    answers: dict[str, str] = {}
    value: float | None


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
    verifier that each Score names. `examples` stand on the rule's page and are tests of it.
    """

    title: ClassVar[str]
    method: ClassVar[str] = "code"
    aspect: ClassVar[Aspect] = "outcome"
    version: ClassVar[int] = 1
    examples: ClassVar[tuple["Example", ...]] = ()

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
    required: bool = Field(
        default=False,
        title="Required",
        description="A value below the threshold makes the answer's whole score 0 and fails it.",
    )
    negate: bool = Field(
        default=False,
        title="Negate",
        description="The value is turned round, 1 - value: what the rule finds must not be there.",
    )
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

    @property
    def decides(self) -> bool:
        """Whether an answer may fail by this rule alone."""
        return self.blocking or self.required

    @property
    def judge_names(self) -> tuple[str, ...]:
        """The targets that it asks, "" for the judge named for the run; none: it asks nobody."""
        return ()

    def ask(self, subject: Subject) -> tuple[Question, ...]:
        """What to ask a judge about this answer; the run engine makes the calls."""
        return ()

    def complaint(self, question: Question, text: str) -> str:
        """What is wrong with the judge's text, in one sentence; empty where it can be read."""
        return ""

    def reask(self, question: Question, bad_text: str) -> Question:
        """The question with the complaint about its answer; asked once."""
        return question

    def settle(self, subject: Subject, answers: Sequence[Answer]) -> Score:
        """The Score, with the last answer of each question of `ask`."""
        return self.grade(subject)

    def scored(
        self,
        value: float,
        *,
        reason: str = "",
        checks: Sequence[Check] = (),
        evidence: Sequence[str] = (),
        raw: dict[str, Any] | None = None,
    ) -> Score:
        """A value from 0 to 1 before `negate`, with the checks that it was made of.

        Where no reason is given, a value below the threshold is explained by the checks that did
        not pass.
        """
        if self.negate:
            value = 1.0 - value
            checks = [check.model_copy(update={"passed": not check.passed}) for check in checks]
        verdict = self._verdict(value)
        if verdict != "pass" and (not reason or self.negate):
            reason = self._missed(checks) or reason
        return self._score(
            verdict,
            value=value,
            reason=reason,
            raw=raw,
            checks=tuple(checks),
            evidence=tuple(evidence),
        )

    def cannot_say(self, reason: str, *, raw: dict[str, Any] | None = None) -> Score:
        return self._score("skip", reason=reason, raw=raw)

    def broke(self, reason: str, *, raw: dict[str, Any] | None = None) -> Score:
        return self._score("error", reason=reason, raw=raw)

    def _verdict(self, value: float) -> Verdict:
        if value >= self.threshold:
            return "pass"
        return "fail" if self.decides else "warn"

    def _missed(self, checks: Sequence[Check]) -> str:
        missed = [check.text for check in checks if not check.passed]
        if not missed:
            return "What must not be there is there." if self.negate else ""
        more = f" and {len(missed) - MOST_MISSED} more" if len(missed) > MOST_MISSED else ""
        return kept("; ".join(missed[:MOST_MISSED]), 500) + more

    def _score(
        self,
        verdict: Verdict,
        *,
        value: float | None = None,
        reason: str,
        raw: dict[str, Any] | None,
        checks: tuple[Check, ...] = (),
        evidence: tuple[str, ...] = (),
    ) -> Score:
        return Score(
            rule=self.name,
            type=self.type,
            value=value,
            verdict=verdict,
            reason=reason,
            method=self.method,
            verifier=self.verifier,
            checks=checks,
            evidence=evidence,
            raw=raw,
        )


def grade_safely(rule: Rule, subject: Subject, answers: Sequence[Answer] = ()) -> Score:
    """The rule's Score; a grader that raises gives an error with the reason, never a value."""
    try:
        return rule.settle(subject, answers)
    except Exception as error:  # whatever a grader does wrong concerns this score alone
        logger.exception("Rule %s (%s) broke on record %s", rule.name, rule.type, subject.record_id)
        return rule.broke(kept(f"The grader raised {type(error).__name__}: {error}", 500))
