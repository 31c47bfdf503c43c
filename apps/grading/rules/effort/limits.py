"""Rules on what the answer took."""

from typing import ClassVar, Literal

from pydantic import Field

from apps.grading.contracts import Aspect, Score, Subject
from apps.grading.rules.base import Example, Rule, WhenMissing, when_missing
from apps.grading.rules.record import expected


class MaxLatency(Rule):
    """The answer came within the record's `expected.max_latency_ms`: 1, otherwise 0."""

    title = "Maximum latency"
    aspect: ClassVar[Aspect] = "process"
    examples = (
        Example(
            says="The record allows two seconds.",
            subject=Subject(
                response="yes", latency_ms=1_840, record={"expected": {"max_latency_ms": 2_000}}
            ),
            value=1.0,
        ),
        Example(
            says="Neither the record nor the rule sets a limit.",
            subject=Subject(response="yes", latency_ms=1_840),
            value=None,
        ),
    )

    type: Literal["max_latency"] = "max_latency"
    when_missing: WhenMissing = when_missing("skip")
    default_ms: int | None = Field(
        default=None,
        ge=1,
        le=3_600_000,
        title="Default limit in ms",
        description="For records that set no expected.max_latency_ms; empty: skip those.",
    )

    def grade(self, subject: Subject) -> Score:
        limit = self._limit(subject)
        if limit is None:
            return self.cannot_say("The record sets no expected.max_latency_ms.")
        if subject.latency_ms is None:
            return self.cannot_say("The latency of the answer is not known.")
        raw = {"latency_ms": subject.latency_ms, "limit_ms": limit}
        if subject.latency_ms <= limit:
            return self.scored(1.0, raw=raw)
        return self.scored(0.0, reason=f"Took {subject.latency_ms} ms of {limit} ms.", raw=raw)

    def _limit(self, subject: Subject) -> int | None:
        limit = expected(subject, "max_latency_ms")
        is_number = isinstance(limit, int) and not isinstance(limit, bool)
        return limit if is_number else self.default_ms


RULES: tuple[type[Rule], ...] = (MaxLatency,)
