"""What a grader says: scores with their checks, questions to a judge, a judgment."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from apps.contract import Contract

from .subjects import Subject

__all__ = [
    "Answer",
    "Aspect",
    "Check",
    "Judgment",
    "Outcome",
    "Question",
    "Score",
    "Source",
    "Subject",
    "Verdict",
]

Verdict = Literal["pass", "warn", "fail", "error", "skip"]
"""Of one rule. `error`: the grader or judge broke; `skip`: it cannot say, with the reason."""

Outcome = Literal["passed", "failed", "unjudged", "error"]
"""Of a whole contract on one answer."""

Source = Literal["contract", "dataset", "record"]
"""Whose rule it is; of two rules of one name the later in this list decides."""

Aspect = Literal["process", "outcome"]
"""What a rule looks at: how the system went about it, or what came of it."""


class Check(Contract):
    """One thing that a rule looked at, in a sentence, and whether it is as it should be."""

    text: str
    passed: bool
    evidence: str = ""


class Score(Contract):
    """What one rule says of one answer: a value from 0 to 1, or None with a reason.

    `method` is code or judge; `verifier` names the rule's type and version, and for a judge the
    hash of its prompts; `raw` keeps what the value was made of, in its own scale; `evidence`
    refers to what it rests on, like trace:trace_123; `for_review`: the judges disagree, so a
    person has to say, whatever the rule does where it cannot say.
    """

    rule: str
    type: str = ""
    value: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    verdict: Verdict
    reason: str = ""
    judge: str = ""
    method: str = ""
    verifier: str = ""
    source: Source = "contract"
    checks: tuple[Check, ...] = ()
    evidence: tuple[str, ...] = ()
    for_review: bool = False
    raw: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _value_or_reason(self) -> Self:
        if (self.value is None) != (self.verdict in ("error", "skip")):
            raise ValueError(f"the verdict {self.verdict} does not go with the value {self.value}")
        if self.value is None and not self.reason:
            raise ValueError("a score without a value must say why")
        return self


class Question(Contract):
    """One prompt to a judge; `call` (at most 60 characters) tells a rule's several prompts apart.

    `judge` is the name of who is asked; empty: the judge named for the run. `reply` names the
    keys of the JSON that is asked for, and in words what each holds.
    """

    call: str
    system: str
    user: str
    judge: str = ""
    reply: dict[str, Any] = {}


class Answer(Contract):
    """What the judge said to one Question, or None with the reason why it said nothing."""

    call: str
    text: str | None
    reason: str = ""


class Judgment(Contract):
    """A contract applied to one answer: every score, the outcome and the weighted scores.

    `process_score` and `outcome_score` are the weighted means of the rules of that aspect.
    """

    scores: tuple[Score, ...]
    outcome: Outcome
    score: float | None
    process_score: float | None = None
    outcome_score: float | None = None
    reason: str = ""
