"""Rules on what an agent's session came to: its status, and counts of its runs."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from apps.grading.contracts import Check, Score, Subject
from apps.grading.rules.agents.agent_runs import FAILED, evidence_of, told
from apps.grading.rules.agents.expecting import Texts
from apps.grading.rules.base import Example, Rule
from apps.grading.rules.words import kept
from apps.grading.subjects import SessionRun

MOST_STATUSES = 20
WAITING = "waiting for human approval"
ASKS_FOR_APPROVAL = ("approval_required", "waiting_for_approval")

Runs = Sequence[SessionRun]
Outcome = Literal[
    "total_runs",
    "required_run_count",
    "success_runs",
    "denied_runs",
    "failed_runs",
    "traceable_failed_runs",
    "approval_wait_runs",
    "reconciliation_runs",
    "approval_status_counts",
]


class StatusEquals(Rule):
    """The agent's session ended with the expected status: 1, otherwise 0.

    Looks at the latest run of the session alone; with `runs: any` one run with the status is
    enough. Of several expected statuses one is enough. The status is what the run's record says,
    or what the end of its trace says. Without a session and a trace there is no score.
    """

    title = "Status equals"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            says="The latest run decides.",
            settings={"expected": "success"},
            subject=Subject(session=(SessionRun(status="failed"), SessionRun(status="success"))),
            value=1.0,
        ),
        Example(
            says="Nothing tells a status: no score.",
            settings={"expected": "success"},
            subject=Subject(response="Done."),
            value=None,
        ),
    )

    type: Literal["status_equals"] = "status_equals"
    expected: Texts = Field(
        min_length=1,
        max_length=20,
        title="Expected",
        description="A status like success or failed; of several one is enough.",
    )
    runs: Literal["latest", "any"] = Field(
        default="latest",
        title="Which runs",
        description="latest: the last run of the session. any: one of its runs.",
    )

    def grade(self, subject: Subject) -> Score:
        runs = told(subject).runs
        if not runs:
            return self.cannot_say("Neither a session nor a trace tells a status.")
        looked_at = runs[-1:] if self.runs == "latest" else runs
        fitting = [run for run in looked_at if run.status.strip() in self.expected]
        silent = sum(not run.status for run in looked_at)
        if silent and not fitting:
            return self.cannot_say(f"{_runs(silent, self.runs)} not tell a status.")
        ended = ", ".join(_statuses(fitting or looked_at))
        check = Check(text=self._said_of(ended, bool(fitting)), passed=bool(fitting))
        return self.scored(
            float(check.passed), checks=[check], evidence=evidence_of(fitting or looked_at)
        )

    def _said_of(self, ended: str, fits: bool) -> str:
        wanted = " or ".join(self.expected)
        if self.runs == "latest":
            but = "" if fits else f", not with {wanted}"
            return f"The latest run ended with {ended}{but}."
        if fits:
            return f"At least one run ended with {ended}."
        return f"No run ended with {wanted}, but with {ended}."


class SessionOutcome(Rule):
    """A count of the session's runs is exactly the expected one: 1, otherwise 0.

    total_runs and required_run_count count all runs; success_runs, denied_runs and failed_runs
    those with that status; traceable_failed_runs the failed ones with a trace, an output and a
    failure reason; approval_wait_runs those whose output says "waiting for human approval" or
    whose status says so; reconciliation_runs those that stopped for a reconciliation.
    approval_status_counts counts the runs that name an approval by its status. Without a session
    and a trace there is no score, nor where a run that has to be counted does not tell its status.
    """

    title = "Session outcome"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            says="One of two runs failed, as expected.",
            settings={"outcome": "failed_runs", "expected": 1},
            subject=Subject(session=(SessionRun(status="failed"), SessionRun(status="success"))),
            value=1.0,
        ),
        Example(
            says="Two approvals are pending, one was expected.",
            settings={"outcome": "approval_status_counts", "expected": {"pending": 1}},
            subject=Subject(
                session=(
                    SessionRun(status="success", approval_id="apr-001", approval_status="pending"),
                    SessionRun(status="success", approval_id="apr-002", approval_status="pending"),
                )
            ),
            value=0.0,
        ),
    )

    type: Literal["session_outcome"] = "session_outcome"
    outcome: Outcome = Field(title="Outcome", description="What is counted.")
    expected: int | dict[str, int] = Field(
        title="Expected",
        description="The number; for approval_status_counts the number of each status.",
    )

    @model_validator(mode="after")
    def _is_of_its_kind(self) -> Self:
        if isinstance(self.expected, dict) != (self.outcome == "approval_status_counts"):
            wanted = "numbers by status" if isinstance(self.expected, int) else "a whole number"
            raise ValueError(f"{self.outcome} expects {wanted}")
        return self

    def grade(self, subject: Subject) -> Score:
        runs = told(subject).runs
        if not runs:
            return self.cannot_say("Neither a session nor a trace tells of any run.")
        silent = sum(not run.status and not _can_count(self.outcome, run) for run in runs)
        if silent:
            return self.cannot_say(
                f"{silent:,} of {len(runs):,} runs {'does' if silent == 1 else 'do'} not tell "
                "a status."
            )
        found = _found(self.outcome, runs)
        equal = found == self.expected
        but = "" if equal else f", not {_said(self.expected)}"
        check = Check(text=f"{self.outcome} is {_said(found)}{but}.", passed=equal)
        return self.scored(
            float(check.passed),
            checks=[check],
            evidence=evidence_of(runs),
            raw={"found": found, "expected": self.expected},
        )


def waits_for_approval(run: SessionRun) -> bool:
    return run.status in ASKS_FOR_APPROVAL or WAITING in run.output_text.lower()


def is_traceable(run: SessionRun) -> bool:
    """A failed run as exports count it: with its trace, its output and its reason."""
    named = (run.trace_id, run.output_text, run.failure_reason)
    return run.status == FAILED and all(named)


def needs_reconciliation(run: SessionRun) -> bool:
    required = any(event.event_type == "effect_reconciliation_required" for event in run.trace)
    return required or run.status == "blocked_on_reconciliation"


def _any(run: SessionRun) -> bool:
    return True


_COUNTED: dict[str, Callable[[SessionRun], bool]] = {
    "total_runs": _any,
    "required_run_count": _any,
    "success_runs": lambda run: run.status == "success",
    "denied_runs": lambda run: run.status == "denied",
    "failed_runs": lambda run: run.status == FAILED,
    "traceable_failed_runs": is_traceable,
    "approval_wait_runs": waits_for_approval,
    "reconciliation_runs": needs_reconciliation,
}


def _found(outcome: str, runs: Runs) -> int | dict[str, int]:
    if outcome == "approval_status_counts":
        return dict(Counter(run.approval_status or run.status for run in runs if run.approval_id))
    return sum(map(_COUNTED[outcome], runs))


def _can_count(outcome: str, run: SessionRun) -> bool:
    """Whether the run counts, or does not, whatever its status is."""
    if outcome in ("total_runs", "required_run_count"):
        return True
    if outcome == "approval_status_counts":
        return bool(run.approval_id and run.approval_status)
    return outcome == "approval_wait_runs" and waits_for_approval(run)


def _said(value: Any) -> str:
    if not isinstance(value, dict):
        return f"{value:,}"
    counts = sorted(value.items())[:20]
    return ", ".join(f"{kept(name, 100)} {number:,}" for name, number in counts) or "none"


def _runs(count: int, which: str) -> str:
    if which == "latest":
        return "The latest run does"
    return "1 run does" if count == 1 else f"{count:,} runs do"


def _statuses(runs: Runs) -> Iterator[str]:
    told_once = dict.fromkeys(run.status for run in runs if run.status)
    yield from (kept(status, 100) for status in list(told_once)[:MOST_STATUSES])


RULES: tuple[type[Rule], ...] = (StatusEquals, SessionOutcome)
