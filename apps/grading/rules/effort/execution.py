"""The rule on all that an agent took on its way to the answer."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from apps.grading.contracts import Aspect, Check, Score, Subject
from apps.grading.rules.base import Example, Rule, threshold
from apps.grading.rules.effort.amounts import (
    NO_COST,
    NO_LATENCY,
    Unknown,
    at_most,
    calls_of,
    model_calls,
    priced,
    total_tokens,
    within,
)

EXPLORING = (
    "read",
    "grep",
    "glob",
    "search",
    "list",
    "Read",
    "Grep",
    "Glob",
    "WebSearch",
    "WebFetch",
)
"""The tools that agentv counts as looking around."""


class ExecutionMetrics(Rule):
    """The share of limits on the way to the answer that were kept, each limit that is set alike.

    Tool calls are those of the answer's turns, of its session, or as its trace counts them; a
    model call is a message of the assistant. The share of exploring calls (reading and searching)
    must be near the target, within the tolerance. Where anything that a limit is about is not
    known there is no value, but the reason.
    """

    title = "Execution metrics"
    aspect: ClassVar[Aspect] = "process"
    examples = (
        Example(
            says="Two tools where one was allowed, and quick enough.",
            settings={"max_tool_calls": 1, "max_duration_ms": 5_000},
            subject=Subject(
                response="done",
                latency_ms=3_420,
                tool_counts={"search": 1, "summarize": 1},
            ),
            value=0.5,
        ),
        Example(
            says="Nothing is known of the cost.",
            settings={"max_cost_usd": 0.01},
            subject=Subject(response="done"),
            value=None,
        ),
    )

    type: Literal["execution_metrics"] = "execution_metrics"
    threshold: float = threshold(0.8)
    max_tool_calls: float | None = at_most("Tool calls", "How many at most.")
    max_llm_calls: float | None = at_most("Model calls", "Messages of the assistant at most.")
    max_tokens: float | None = at_most("Tokens", "Of input and output together, at most.")
    max_cost_usd: float | None = at_most("Cost", "At most, in the target's currency.")
    max_duration_ms: float | None = at_most("Duration", "The longest time in ms.")
    target_exploration_ratio: float | None = Field(
        default=None,
        ge=0,
        le=1,
        title="Share of exploring",
        description="Of all tool calls, from 0 to 1, that should be reading and searching.",
    )
    exploration_tolerance: float = Field(
        default=0.2,
        ge=0,
        le=1,
        title="Tolerance of the share",
        description="How far the share of exploring may be from its target.",
    )
    exploration_tools: tuple[str, ...] = Field(
        default=EXPLORING,
        max_length=200,
        title="Exploring tools",
        description="The names of the tools that only read or search.",
    )

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if all(getattr(self, name) is None for name in _LIMITS):
            raise ValueError(f"set at least one of {', '.join(_LIMITS)}")
        return self

    def grade(self, subject: Subject) -> Score:
        try:
            checks = list(self._checks(subject))
        except Unknown as missing:
            return self.cannot_say(str(missing))
        kept = sum(check.passed for check in checks)
        return self.scored(kept / len(checks), checks=checks)

    def _checks(self, subject: Subject) -> Iterator[Check]:
        if self.max_tool_calls is not None:
            calls = sum(calls_of(subject).values())
            yield within("Tool calls", calls, self.max_tool_calls, end=" max")
        if self.max_llm_calls is not None:
            yield within("LLM calls", model_calls(subject), self.max_llm_calls, end=" max")
        if self.max_tokens is not None:
            yield within("Total tokens", total_tokens(subject), self.max_tokens, end=" max")
        if self.max_cost_usd is not None:
            if subject.cost is None:
                raise Unknown(NO_COST)
            yield priced(subject.cost, self.max_cost_usd, end=" max")
        if self.max_duration_ms is not None:
            if subject.latency_ms is None:
                raise Unknown(NO_LATENCY)
            limit = self.max_duration_ms
            yield within("Duration", subject.latency_ms, limit, unit="ms", end=" max")
        if self.target_exploration_ratio is not None:
            yield self._exploring(calls_of(subject), self.target_exploration_ratio)

    def _exploring(self, calls: Mapping[str, int], target: float) -> Check:
        total = sum(calls.values())
        if not total:
            raise Unknown("No tool was called, so there is no share of exploring calls.")
        share = sum(calls.get(tool, 0) for tool in set(self.exploration_tools)) / total
        near = abs(share - target) <= self.exploration_tolerance
        text = f"{share:.2f} {'within' if near else 'outside'} tolerance of target {target:g}"
        return Check(text=f"Exploration ratio {text}", passed=near)


_LIMITS = (
    "max_tool_calls",
    "max_llm_calls",
    "max_tokens",
    "max_cost_usd",
    "max_duration_ms",
    "target_exploration_ratio",
)
