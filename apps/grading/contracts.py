"""What a grader sees and what it says."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from apps.contract import Contract

Verdict = Literal["pass", "warn", "fail", "error", "skip"]
"""Of one rule. `error`: the grader or judge broke; `skip`: it cannot say, with the reason."""

Outcome = Literal["passed", "failed", "unjudged", "error"]
"""Of a whole contract on one answer."""


class Subject(Contract):
    """One answer with all that a rule may look at; times in ms, cost in the target's currency."""

    record_id: str
    prompt: str
    response: str
    reference: str | None = None
    record: dict[str, Any] = {}
    latency_ms: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None


class Score(Contract):
    """What one rule says of one answer: a value from 0 to 1, or None with a reason.

    `method` is code or judge; `verifier` names the rule's type and version, and for a judge the
    hash of its prompts; `raw` keeps what the value was made of, in its own scale.
    """

    rule: str
    value: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    verdict: Verdict
    reason: str = ""
    judge: str = ""
    method: str = ""
    verifier: str = ""
    raw: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _value_or_reason(self) -> Self:
        if (self.value is None) != (self.verdict in ("error", "skip")):
            raise ValueError(f"the verdict {self.verdict} does not go with the value {self.value}")
        if self.value is None and not self.reason:
            raise ValueError("a score without a value must say why")
        return self


class Question(Contract):
    """One prompt to a judge; `call` tells the several prompts of a rule apart."""

    call: str
    system: str
    user: str


class Answer(Contract):
    """What the judge said to one Question, or None with the reason why it said nothing."""

    call: str
    text: str | None
    reason: str = ""


class Judgment(Contract):
    """A contract applied to one answer: every score, the outcome and the weighted score."""

    scores: tuple[Score, ...]
    outcome: Outcome
    score: float | None
    reason: str = ""
