"""Rules on how an agent behaved: what it said, which tools it called, whom it asked."""

from typing import ClassVar, Literal

from pydantic import Field

from apps.grading.contracts import Aspect, Check, Score, Subject
from apps.grading.rules.agents import outcomes, policies
from apps.grading.rules.agents.agent_runs import (
    EXECUTED,
    Told,
    evidence_of,
    evidence_of_events,
    told,
)
from apps.grading.rules.agents.expecting import Expecting, Texts
from apps.grading.rules.agents.outcomes import ASKS_FOR_APPROVAL
from apps.grading.rules.base import Example, Rule
from apps.grading.rules.words import shown
from apps.grading.subjects import SessionRun, ToolCall, TraceEvent, Turn

MOST_NAMED = 20


class ContainsSubstring(Rule):
    """The agent said each of some texts, in any of its runs; the value is the share it said.

    Looks into the output and the failure reason of every run and into every turn of the assistant;
    where there is none of those, into the response. A text may stand in any one of them, the next
    text in another one. Upper and lower case differ unless `ignore_case` is set.
    """

    title = "Contains substring"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            says="A failure reason counts as said.",
            settings={"expected": "tool_timeout"},
            subject=Subject(session=(SessionRun(status="failed", failure_reason="tool_timeout"),)),
            value=1.0,
        ),
        Example(
            says="One of two texts was said.",
            settings={"expected": ["refund", "apology"]},
            subject=Subject(response="Your refund is on its way."),
            value=0.5,
        ),
    )

    type: Literal["contains_substring"] = "contains_substring"
    expected: Texts = Field(
        min_length=1,
        max_length=100,
        title="Expected",
        description="A text, or several that must all be said.",
    )
    ignore_case: bool = Field(
        default=False, title="Ignore case", description="Upper and lower case count as equal."
    )

    def grade(self, subject: Subject) -> Score:
        said = [self._comparable(text) for text in _said(subject)]
        checks = [self._look_for(text, said) for text in self.expected]
        found = sum(check.passed for check in checks)
        return self.scored(
            found / len(checks),
            checks=checks,
            evidence=evidence_of(told(subject).runs),
            raw={"found": found, "of": len(checks)},
        )

    def _look_for(self, text: str, said: list[str]) -> Check:
        wanted = self._comparable(text)
        found = any(wanted in each for each in said)
        return Check(text=f"{shown(text)} was {'' if found else 'not '}said.", passed=found)

    def _comparable(self, text: str) -> str:
        return text.casefold() if self.ignore_case else text


class MaxToolCalls(Rule):
    """The agent called its tools at most so many times in all of its runs: 1, otherwise 0.

    Counts the `tool_execution` events of its traces; for a run whose trace has none of them, and
    where there is no trace, the tool calls that were told with it. An answer that comes with
    neither turns nor tool calls nor a trace has no score: nobody can tell what was called.
    """

    title = "Most tool calls"
    aspect: ClassVar[Aspect] = "process"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            says="One call more than allowed.",
            settings={"expected": 1},
            subject=Subject(
                turns=(
                    Turn(
                        role="assistant",
                        tool_calls=(ToolCall(name="search"), ToolCall(name="search")),
                    ),
                ),
            ),
            value=0.0,
        ),
    )

    type: Literal["max_tool_calls"] = "max_tool_calls"
    expected: int = Field(
        ge=0,
        le=1_000_000,
        title="At most",
        description="The largest number of tool calls that is acceptable.",
    )

    def grade(self, subject: Subject) -> Score:
        known = told(subject)
        if subject.calls_by_tool is None:
            return self.cannot_say("Neither turns nor tool calls nor a trace were told.")
        made = _calls(known, subject)
        few = made <= self.expected
        calls = "1 tool call was" if made == 1 else f"{made:,} tool calls were"
        limit = f"{'at most' if few else 'more than'} {self.expected:,}"
        check = Check(text=f"{calls} made: {limit}.", passed=few)
        return self.scored(
            float(check.passed),
            checks=[check],
            evidence=evidence_of(known.runs),
            raw={"tool_calls": made},
        )


class ApprovalRequired(Expecting):
    """The agent asked a person for approval before it acted: 1, otherwise 0.

    It asked where a trace has an `approval_requested` event, a run names an approval, or a run
    ended with the status approval_required or waiting_for_approval. With `expected: false` nobody
    may have been asked. Without a status, an approval or a trace there is no score.
    """

    title = "Approval required"
    aspect: ClassVar[Aspect] = "process"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            says="The run names the approval that it waits for.",
            subject=Subject(session=(SessionRun(status="success", approval_id="apr-001"),)),
            value=1.0,
        ),
        Example(
            says="Nobody was asked.",
            subject=Subject(session=(SessionRun(status="success"),)),
            value=0.0,
        ),
    )

    type: Literal["approval_required"] = "approval_required"

    def grade(self, subject: Subject) -> Score:
        known = told(subject)
        asking = [run for run in known.runs if _asked(run)]
        loose = [event for event in known.loose if event.event_type == "approval_requested"]
        if not (asking or loose or known.tells):
            return self.cannot_say("No status, approval or trace of a run was told.")
        found = bool(asking or loose)
        ids = [run.approval_id for run in asking if run.approval_id]
        check = Check(
            text=f"{'An' if found else 'No'} approval was asked for.",
            passed=found == self.expected,
            evidence=", ".join(ids[:MOST_NAMED]),
        )
        return self.scored(
            float(check.passed),
            checks=[check],
            evidence=evidence_of(asking) or evidence_of_events(loose),
        )


def _said(subject: Subject) -> list[str]:
    texts = [text for run in told(subject).runs for text in (run.output_text, run.failure_reason)]
    texts += [turn.content for turn in subject.turns if turn.role == "assistant"]
    return [text for text in texts if text] or [subject.response]


def _calls(known: Told, subject: Subject) -> int:
    """Of each run by its events or by its calls; by the turns where no run tells any."""
    of_runs = sum(_executed(run.trace) or len(run.tool_calls) for run in known.runs)
    return _executed(known.loose) + of_runs or sum((subject.calls_by_tool or {}).values())


def _executed(events: tuple[TraceEvent, ...]) -> int:
    return sum(event.event_type == EXECUTED for event in events)


def _asked(run: SessionRun) -> bool:
    asked = any(event.event_type == "approval_requested" for event in run.trace)
    return asked or bool(run.approval_id) or run.status in ASKS_FOR_APPROVAL


RULES: tuple[type[Rule], ...] = (
    ContainsSubstring,
    MaxToolCalls,
    ApprovalRequired,
    *policies.RULES,
    *outcomes.RULES,
)
