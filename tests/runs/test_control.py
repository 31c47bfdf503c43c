"""Cancelling in each state: nobody is asked any more, what was answered is kept."""

import pytest
from django.core.exceptions import ValidationError
from django.db.models.functions import Now
from django.utils import timezone

from apps.accounts.models import AuditEvent, User
from apps.jobs.leases import Lease
from apps.jobs.models import JobState
from apps.runs import control
from apps.runs.models import Run, RunState, RunStep
from apps.runs.states import move

from .conftest import (
    MakeTarget,
    MakeVersion,
    Start,
    again,
    artifact,
    drain,
    lease_of,
    prepare,
    statuses,
    work_on,
)

FAILING = [{"code": "rate_limited", "share": 1.0, "retry_after_ms": 100_000}]


def _cancel(run: Run, by: User | None = None) -> None:
    control.cancel(run, by=by, now=timezone.now())


def test_a_queued_run_is_cancelled_without_asking_anybody(start: Start, alice: User) -> None:
    run = start()

    _cancel(run, alice)
    drain(run)

    assert run.state == RunState.CANCELLED
    assert run.reason == "Cancelled by Alice."
    assert statuses(run) == {"cancelled": 10}
    assert not run.attempts.exists()
    assert AuditEvent.objects.filter(verb="run.cancelled", object_id=run.pk).count() == 1


def test_a_validating_run_is_cancelled_when_it_would_begin(start: Start) -> None:
    run = start()
    move(run.pk, RunState.VALIDATING)

    _cancel(run)
    drain(run)

    assert run.state == RunState.CANCELLED
    assert not run.chunks.exists()


def test_a_running_run_keeps_its_answers(start: Start, make_version: MakeVersion) -> None:
    run = prepare(start(version=make_version(40)))
    first = run.chunks.order_by("pk")[0]
    work_on(first)

    _cancel(run)
    drain(run)

    assert run.state == RunState.CANCELLED
    assert statuses(run) == {"completed": first.total, "cancelled": 40 - first.total}
    assert set(run.chunks.values_list("state", flat=True)) == {JobState.DONE, JobState.CANCELLED}


def test_a_chunk_at_work_lets_go_before_its_answers_come(
    start: Start, make_target: MakeTarget
) -> None:
    """Each answer takes a minute; the cancellation does not wait for it."""
    run = prepare(start(target=make_target(latency_ms=60_000)))
    chunk = run.chunks.order_by("pk")[0]
    lease = CancelsOnRenewal(lease_of(chunk), run)

    again(chunk).perform(lease)

    assert again(chunk).state == JobState.CANCELLED
    assert not run.results.exists()


def test_a_retrying_run_does_not_wait_for_its_backoff(
    start: Start, make_target: MakeTarget
) -> None:
    run = prepare(start(target=make_target(planned_errors=FAILING)))
    for chunk in list(run.chunks.all()):
        work_on(chunk)
    run.refresh_from_db()
    assert run.state == RunState.RETRYING

    _cancel(run)
    run.refresh_from_db()

    assert run.state == RunState.FINALIZING
    assert drain(run).state == RunState.CANCELLED
    assert run.attempts.count() == 10


def test_cancelling_twice_changes_nothing(start: Start, alice: User, ada: User) -> None:
    run = start()
    _cancel(run, alice)

    _cancel(run, ada)

    run.refresh_from_db()
    assert run.reason == "Cancelled by Alice."
    assert AuditEvent.objects.filter(verb="run.cancelled").count() == 1


def test_a_run_that_has_ended_cannot_be_cancelled(start: Start) -> None:
    run = drain(start())

    with pytest.raises(ValidationError, match="completed: there is nothing left to cancel"):
        _cancel(run)

    assert again(run).state == RunState.COMPLETED


def test_a_run_that_is_being_finalised_cannot_be_cancelled(start: Start) -> None:
    run = start()
    move(run.pk, RunState.FINALIZING)

    with pytest.raises(ValidationError, match="finalizing"):
        _cancel(run)


def test_a_cancellation_that_comes_too_late_for_every_record_changes_nothing(
    start: Start, make_version: MakeVersion
) -> None:
    run = prepare(start(version=make_version(1)))
    Run.objects.filter(pk=run.pk).update(cancel_requested_at=None)
    chunk = run.chunks.get()
    work_on(chunk)
    Run.objects.filter(pk=run.pk).update(cancel_requested_at=Now())

    drain(run)

    assert run.state == RunState.COMPLETED


def test_a_cancelled_run_has_its_artifacts_and_says_why(start: Start) -> None:
    run = start()
    _cancel(run)

    drain(run)

    assert artifact(run, "run_manifest.json")["status"] == "cancelled"
    assert {row["status"] for row in artifact(run, "failures.jsonl")} == {"cancelled"}
    assert artifact(run, "metrics_summary.json")["skipped_records"] == 10


def test_past_the_cost_cap_nothing_more_is_asked(
    start: Start, make_target: MakeTarget, make_version: MakeVersion
) -> None:
    target = make_target(price_input=1e6, price_output=0, concurrency=1)

    run = drain(start(version=make_version(60), target=target, cost_cap=20))

    assert run.state == RunState.CANCELLED
    assert run.reason.startswith("The cost cap of 20 was reached: ")
    assert run.spent >= 20
    assert 0 < statuses(run)["completed"] < 60
    assert statuses(run)["cancelled"] == 60 - statuses(run)["completed"]


def test_what_is_spent_is_the_cost_of_every_attempt(start: Start, make_target: MakeTarget) -> None:
    run = drain(start(target=make_target(price_input=1.0, price_output=2.0)))

    costs = [cost for cost in run.attempts.values_list("cost", flat=True) if cost is not None]
    assert len(costs) == 10
    assert run.spent == pytest.approx(sum(costs))


def test_only_what_has_ended_is_archived_and_it_can_come_back(start: Start, alice: User) -> None:
    run = start()
    with pytest.raises(ValidationError, match="Cancel the run first"):
        control.archive(run, by=alice, now=timezone.now())
    drain(run)

    control.archive(run, by=alice, now=timezone.now())
    assert not Run.objects.active().exists()

    control.restore(run, by=alice)
    assert Run.objects.active().get() == run
    assert RunStep.objects.filter(run=run, state=JobState.FAILED).count() == 0


class CancelsOnRenewal(Lease):
    """Somebody cancels the run while its worker keeps its lease."""

    def __init__(self, lease: Lease, run: Run) -> None:
        super().__init__(lease.job, lease.token)
        self._run = run

    def renew(self, **columns: object) -> bool:
        Run.objects.filter(pk=self._run.pk).update(cancel_requested_at=Now())
        return super().renew(**columns)
