"""Rules on what an answer took: time, money, tokens, calls."""

from collections.abc import Iterator
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from apps.grading.contracts import Aspect, Check, Score, Subject
from apps.grading.rules.base import Example, Rule
from apps.grading.rules.effort.amounts import (
    NO_COST,
    NO_LATENCY,
    Unknown,
    at_most,
    counted,
    priced,
    total_tokens,
    within,
)
from apps.grading.rules.effort.execution import ExecutionMetrics


class Latency(Rule):
    """The answer came within a time: 1, otherwise 0.

    The time is that from sending the request to the last byte. A recorded answer has none.
    """

    title = "Latency"
    aspect: ClassVar[Aspect] = "process"
    examples = (
        Example(
            says="Two and a half seconds of two.",
            settings={"max_ms": 2_000},
            subject=Subject(response="yes", latency_ms=2_500),
            value=0.0,
        ),
    )

    type: Literal["latency"] = "latency"
    max_ms: float = Field(
        ge=0, le=1e15, allow_inf_nan=False, title="At most", description="The longest time in ms."
    )

    def grade(self, subject: Subject) -> Score:
        if subject.latency_ms is None:
            return self.cannot_say(NO_LATENCY)
        check = within("Duration", subject.latency_ms, self.max_ms, unit="ms", end=" threshold")
        return self.scored(float(check.passed), checks=[check])


class Cost(Rule):
    """The answer cost no more than a budget: 1, otherwise 0; in the target's currency."""

    title = "Cost"
    aspect: ClassVar[Aspect] = "process"
    examples = (
        Example(
            says="Less than the budget.",
            settings={"budget": 0.01},
            subject=Subject(response="yes", cost=0.0042),
            value=1.0,
        ),
    )

    type: Literal["cost"] = "cost"
    budget: float = Field(
        ge=0,
        le=1e15,
        allow_inf_nan=False,
        title="Budget",
        description="The most that one answer may cost, in the target's currency.",
    )

    def grade(self, subject: Subject) -> Score:
        if subject.cost is None:
            return self.cannot_say(NO_COST)
        check = priced(subject.cost, self.budget, end=" budget")
        return self.scored(float(check.passed), checks=[check])


class TokenUsage(Rule):
    """The answer took no more tokens than it may: 1, or 0 where one of the limits is exceeded.

    The total is input plus output; cached tokens are part of the input, as targets count them.
    """

    title = "Token usage"
    aspect: ClassVar[Aspect] = "process"
    examples = (
        Example(
            says="One of two limits is exceeded.",
            settings={"max_total": 1_000, "max_output": 300},
            subject=Subject(response="yes", input_tokens=450, output_tokens=380),
            value=0.0,
        ),
    )

    type: Literal["token_usage"] = "token_usage"
    max_total: float | None = at_most("Tokens in all", "Of input and output together.")
    max_input: float | None = at_most("Input tokens", "Of what was sent.")
    max_output: float | None = at_most("Output tokens", "Of what came back.")

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.max_total is None and self.max_input is None and self.max_output is None:
            raise ValueError("set at least one of max_total, max_input and max_output")
        return self

    def grade(self, subject: Subject) -> Score:
        try:
            checks = list(self._checks(subject))
        except Unknown as missing:
            return self.cannot_say(str(missing))
        return self.scored(float(all(check.passed for check in checks)), checks=checks)

    def _checks(self, subject: Subject) -> Iterator[Check]:
        if self.max_input is not None:
            yield within("Input tokens", counted(subject.input_tokens), self.max_input)
        if self.max_output is not None:
            yield within("Output tokens", counted(subject.output_tokens), self.max_output)
        if self.max_total is not None:
            yield within("Total tokens", total_tokens(subject), self.max_total)


RULES: tuple[type[Rule], ...] = (Latency, Cost, TokenUsage, ExecutionMetrics)
