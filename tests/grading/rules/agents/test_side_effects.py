"""The guard that nothing is made twice."""

from typing import Any

import pytest

from apps.grading.contracts import Score, Subject
from apps.grading.rules.agents.side_effects import DuplicateTicketGuard, Guard
from apps.grading.subjects import SessionRun, ToolCall, TraceEvent, Turn

KEYS = Guard(idempotency_key_required=True)
ONCE = Guard(max_ticket_side_effects=1)
STOPS = Guard(on_unknown_side_effect="stop_or_reconcile")


def guarded(subject: Subject, expected: bool | Guard = True, **settings: Any) -> Score:
    return DuplicateTicketGuard(name="guard", expected=expected, **settings).grade(subject)


def ticket(status: str = "success", key: str = "key-1", **fields: Any) -> SessionRun:
    return SessionRun(status=status, capability_name="create_ticket", idempotency_key=key, **fields)


def session(*runs: SessionRun) -> Subject:
    return Subject(session=runs)


def executed(status: str, key: str = "key-1", capability: str = "create_ticket") -> TraceEvent:
    payload = {"capability": capability, "status": status, "idempotency_key": key}
    return TraceEvent(event_type="tool_execution", trace_id="trace_123", payload=payload)


def reconciling() -> TraceEvent:
    return TraceEvent(event_type="effect_reconciliation_required", trace_id="trace_123")


def test_a_timeout_without_a_second_try_passes() -> None:
    score = guarded(session(ticket("failed", failure_reason="tool_timeout", trace_id="trace_123")))

    assert score.value == 1
    assert [check.text for check in score.checks] == [
        "Every try carries an idempotency key.",
        "0 side effects of 1 try: at most 1.",
        "No try followed an unknown side effect blindly.",
    ]
    assert score.evidence == ("trace:trace_123",)


def test_a_blind_second_try_after_a_timeout_fails_and_two_tickets_do_so_twice() -> None:
    blind = guarded(session(ticket("failed"), ticket(key="key-2")))
    two = guarded(session(ticket(key="key-1"), ticket("failed"), ticket(key="key-2")))

    assert blind.value == pytest.approx(2 / 3)
    assert blind.reason == "A try followed an unknown side effect, without a reconciliation."
    assert blind.checks[2].evidence == "Tried again after a run."
    assert guarded(session(ticket(), ticket(key="key-2"))).reason == (
        "2 side effects of 2 tries: more than 1."
    )
    assert guarded(session(ticket(key="")), KEYS).reason == (
        "1 of 1 tries came without an idempotency key."
    )
    assert two.value == pytest.approx(1 / 3)


def test_successes_under_one_key_are_one_side_effect() -> None:
    assert guarded(session(ticket(), ticket()), ONCE).value == 1
    assert guarded(session(ticket(), ticket(key="key-2")), ONCE).value == 0
    assert guarded(session(ticket(key=""), ticket(key="")), ONCE).value == 0


def test_an_object_asks_only_for_what_it_names() -> None:
    subject = session(ticket(key=""))

    assert guarded(subject, ONCE).value == 1
    assert guarded(subject, KEYS).value == 0
    assert guarded(subject, Guard()).value is None


@pytest.mark.parametrize(
    "runs",
    [
        (ticket("failed", side_effect_status="not_executed"), ticket()),
        (ticket("denied"), ticket()),
        (ticket("blocked_on_reconciliation", side_effect_status="side_effect_unknown"), ticket()),
        (ticket(), ticket("failed")),
    ],
)
def test_a_further_try_is_fine_where_the_effect_is_known_or_looked_after(
    runs: tuple[SessionRun, ...],
) -> None:
    assert guarded(session(*runs), STOPS).value == 1


@pytest.mark.parametrize(
    "run",
    [
        ticket("failed"),
        ticket("success", side_effect_status="side_effect_unknown"),
        ticket("success", side_effect_status="partial_side_effect"),
    ],
)
def test_a_further_try_after_an_unknown_effect_fails(run: SessionRun) -> None:
    assert guarded(session(run, ticket()), STOPS).value == 0


def test_what_waits_for_a_person_took_no_effect() -> None:
    score = guarded(session(ticket(approval_status="pending"), ticket(key="key-2")), ONCE)

    assert score.value == 1
    assert score.checks[0].text == "1 side effect of 2 tries: at most 1."


def test_events_tell_the_tries_of_a_run() -> None:
    blind = Subject(trace=(executed("failed"), executed("success", key="key-2")))
    careful = Subject(trace=(executed("failed"), reconciling(), executed("success")))
    waiting = Subject(trace=(executed("approval_required"),))

    assert guarded(blind, STOPS).value == 0
    assert guarded(careful, STOPS).value == 1
    assert guarded(waiting).value == 1


def test_calls_of_tools_count_as_having_taken_effect() -> None:
    calls = (
        ToolCall(name="create_ticket", arguments={"idempotency_key": "key-1"}),
        ToolCall(name="create_ticket", arguments='{"title": "again"}'),
    )

    for subject in (
        Subject(turns=(Turn(role="assistant", tool_calls=calls),)),
        Subject(session=(SessionRun(status="success", tool_calls=calls),)),
    ):
        assert guarded(subject, ONCE).value == 0
        assert guarded(subject, KEYS).value == 0


def test_only_the_named_capability_is_guarded() -> None:
    subject = Subject(trace=(executed("success", "a", "pay"), executed("success", "b", "pay")))

    assert guarded(subject).value is None
    assert guarded(subject, ONCE, capability="pay").value == 0
    assert guarded(subject, ONCE, capability="").value == 0


def test_where_nothing_was_tried_there_was_nothing_to_guard() -> None:
    for subject in (Subject(response="Done."), session(SessionRun(status="success"))):
        score = guarded(subject)

        assert (score.value, score.verdict) == (None, "skip")
        assert score.reason == "No try of a capability whose name contains 'ticket' was told."
