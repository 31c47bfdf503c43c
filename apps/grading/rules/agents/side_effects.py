"""The rule that nothing was done twice: idempotency keys, side effects, unknown ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field

from apps.contract import Contract
from apps.grading.contracts import Aspect, Check, Score, Subject
from apps.grading.rules.agents.agent_runs import (
    EXECUTED,
    Told,
    evidence_of,
    evidence_of_events,
    text_in,
    told,
)
from apps.grading.rules.agents.outcomes import needs_reconciliation
from apps.grading.rules.base import Example, Rule
from apps.grading.rules.words import shown
from apps.grading.subjects import SessionRun, ToolCall, TraceEvent

RECONCILED = "effect_reconciliation_required"
UNKNOWN = frozenset(("side_effect_unknown", "partial_side_effect"))
APPLIED = frozenset(("applied", "success", "completed", "executed", "ok"))
NOT_APPLIED = frozenset(
    (
        "not_executed",
        "approval_required",
        "waiting_for_approval",
        "permission_denied",
        "denied",
        "validation_failure",
        "retryable_failure",
    )
)
MOST_TOLD = 20

Effect = Literal["applied", "none", "unknown"]


class Guard(Contract):
    """What the guard asks for; what is left out is not asked."""

    idempotency_key_required: bool | None = Field(
        default=None,
        title="Idempotency key required",
        description="Every try carries an idempotency key.",
    )
    max_ticket_side_effects: int | None = Field(
        default=None,
        ge=0,
        title="Most side effects",
        description="How many tries may take effect; several under one key count once.",
    )
    on_unknown_side_effect: Literal["stop_or_reconcile"] | None = Field(
        default=None,
        title="On an unknown side effect",
        description="stop_or_reconcile: no further try before a reconciliation.",
    )


WHOLE = Guard(
    idempotency_key_required=True,
    max_ticket_side_effects=1,
    on_unknown_side_effect="stop_or_reconcile",
)


@dataclass(frozen=True, slots=True)
class Try:
    """One try to act; `reconciles`: before the next one the effect is looked after."""

    where: str
    key: str
    effect: Effect
    reconciles: bool = False


class DuplicateTicketGuard(Rule):
    """Nothing was made twice: the share of the guard's conditions that hold.

    A try is a `tool_execution` event, a run or a tool call of a capability whose name contains
    `capability`. idempotency_key_required: every try carries an idempotency key.
    max_ticket_side_effects: at most so many tries took effect; several under one key count once.
    on_unknown_side_effect stop_or_reconcile: after a try whose effect is not known (it says so, or
    its run failed without saying that nothing was executed) there is no further try before a
    reconciliation. `expected: true` asks for all three with one side effect; an object asks for
    what it names. Where no try was told there is no score: there was nothing to guard.
    """

    title = "Duplicate ticket guard"
    aspect: ClassVar[Aspect] = "process"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            says="A timeout, and no second try.",
            subject=Subject(
                session=(
                    SessionRun(
                        status="failed",
                        failure_reason="tool_timeout",
                        capability_name="create_ticket",
                        idempotency_key="key-1",
                        trace_id="trace_123",
                    ),
                )
            ),
            value=1.0,
        ),
        Example(
            says="Tried again with a new key, and two tickets were made.",
            settings={"expected": {"max_ticket_side_effects": 1}},
            subject=Subject(
                session=(
                    SessionRun(
                        status="success", capability_name="create_ticket", idempotency_key="key-1"
                    ),
                    SessionRun(
                        status="success", capability_name="create_ticket", idempotency_key="key-2"
                    ),
                )
            ),
            value=0.0,
        ),
    )

    type: Literal["duplicate_ticket_guard"] = "duplicate_ticket_guard"
    expected: bool | Guard = Field(
        default=True,
        title="Expected",
        description="true: all three conditions, with one side effect. An object: what it names. "
        "false: one of the three must not hold.",
    )
    capability: str = Field(
        default="ticket",
        max_length=120,
        title="Capability",
        description="What the name of a guarded capability contains; empty: every capability.",
    )

    def grade(self, subject: Subject) -> Score:
        known = told(subject)
        tries = list(self._tries(known, subject))
        if not tries:
            named = f" whose name contains {shown(self.capability)}" if self.capability else ""
            return self.cannot_say(f"No try of a capability{named} was told.")
        guard = self.expected if isinstance(self.expected, Guard) else WHOLE
        checks = list(_checks(guard, tries))
        if not checks:
            return self.cannot_say("The rule names no condition to check.")
        held = sum(check.passed for check in checks) / len(checks)
        if self.expected is False:
            held = float(held < 1)
            checks = [check.model_copy(update={"passed": not check.passed}) for check in checks]
        evidence = evidence_of(known.runs) or evidence_of_events(known.loose)
        return self.scored(held, checks=checks, evidence=evidence, raw={"tries": len(tries)})

    def _tries(self, known: Told, subject: Subject) -> Iterator[Try]:
        calls: list[ToolCall] = []
        for run in known.runs:
            found = list(_of_run(run, self.capability))
            yield from found
            calls += () if found else run.tool_calls
        yield from _of_events(known.loose, self.capability, SessionRun())
        said = tuple(call for turn in subject.turns for call in turn.tool_calls)
        yield from _of_calls(calls or (() if known.has_events else said), self.capability)


def _of_run(run: SessionRun, capability: str) -> Iterator[Try]:
    """By its events where they tell of a try, else by its record."""
    of_events = list(_of_events(run.trace, capability, run))
    if of_events:
        yield from of_events
    elif run.capability_name and capability in run.capability_name:
        effect = _effect_of_run(run)
        where = f"run {run.trace_id}" if run.trace_id else "a run"
        yield Try(where, run.idempotency_key, effect, needs_reconciliation(run))


def _of_events(events: Sequence[TraceEvent], capability: str, run: SessionRun) -> Iterator[Try]:
    waiting: Try | None = None
    for event in events:
        if event.event_type == EXECUTED and capability in text_in(event, "capability"):
            if waiting is not None:
                yield waiting
            waiting = _of_event(event, run)
        elif event.event_type == RECONCILED and waiting is not None:
            waiting = Try(waiting.where, waiting.key, "unknown", reconciles=True)
    if waiting is not None:
        stopped = run.status == "blocked_on_reconciliation"
        yield Try(waiting.where, waiting.key, waiting.effect, waiting.reconciles or stopped)


def _of_event(event: TraceEvent, run: SessionRun) -> Try:
    status = text_in(event, "side_effect_status", "status")
    key = text_in(event, "idempotency_key") or run.idempotency_key
    return Try(f"trace {event.trace_id}", key, _effect(status, run.side_effect_status))


def _of_calls(calls: Sequence[ToolCall], capability: str) -> Iterator[Try]:
    """A call of a tool counts as having taken effect: nothing says that it had none."""
    for call in calls:
        if capability in call.name:
            yield Try(f"the call of {shown(call.name)}", _key_of(call.arguments), "applied")


def _key_of(arguments: Any) -> str:
    key = arguments.get("idempotency_key") if isinstance(arguments, dict) else None
    return key if isinstance(key, str) else ""


def _effect(status: str, of_run: str) -> Effect:
    """What a try says itself counts before what its run says; a word we do not know is unknown."""
    if status in UNKNOWN:
        return "unknown"
    for said in (status, of_run):
        if said in APPLIED:
            return "applied"
        if said in NOT_APPLIED:
            return "none"
    return "unknown" if status or of_run else "applied"


def _effect_of_run(run: SessionRun) -> Effect:
    if run.approval_status == "pending" and not run.side_effect_status:
        return "none"
    return _effect(run.side_effect_status, run.status)


def _checks(guard: Guard, tries: Sequence[Try]) -> Iterator[Check]:
    if guard.idempotency_key_required:
        yield _with_keys(tries)
    if guard.max_ticket_side_effects is not None:
        yield _few_effects(tries, guard.max_ticket_side_effects)
    if guard.on_unknown_side_effect is not None:
        yield _stops(tries)


def _with_keys(tries: Sequence[Try]) -> Check:
    bare = list(dict.fromkeys(each.where for each in tries if not each.key))
    count = sum(not each.key for each in tries)
    some = f"{count:,} of {len(tries):,} tries came without an idempotency key."
    return Check(
        text=some if bare else "Every try carries an idempotency key.",
        passed=not bare,
        evidence=f"None with {', '.join(bare[:MOST_TOLD])}." if bare else "",
    )


def _few_effects(tries: Sequence[Try], most: int) -> Check:
    applied = [each for each in tries if each.effect == "applied"]
    effects = len({each.key for each in applied if each.key})
    effects += sum(not each.key for each in applied)
    few = effects <= most
    found = f"{effects:,} side effect{'' if effects == 1 else 's'} of {_tries(tries)}"
    limit = f"{'at most' if few else 'more than'} {most:,}"
    return Check(text=f"{found}: {limit}.", passed=few)


def _stops(tries: Sequence[Try]) -> Check:
    """No try follows one of unknown effect, unless a reconciliation stands between them."""
    blind = next(
        (each for each in tries[:-1] if each.effect == "unknown" and not each.reconciles), None
    )
    if blind is None:
        return Check(text="No try followed an unknown side effect blindly.", passed=True)
    return Check(
        text="A try followed an unknown side effect, without a reconciliation.",
        passed=False,
        evidence=f"Tried again after {blind.where}.",
    )


def _tries(tries: Sequence[Try]) -> str:
    return "1 try" if len(tries) == 1 else f"{len(tries):,} tries"


RULES: tuple[type[Rule], ...] = (DuplicateTicketGuard,)
