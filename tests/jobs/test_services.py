"""Sending, sweeping, doing: every step may happen twice, and every message may be lost."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from django_q.models import OrmQ

from apps.datasets.models import Upload
from apps.jobs import services, tasks
from apps.jobs.leases import Lease, LeaseLost, claim
from apps.jobs.models import MAX_DELIVERIES, Heartbeat, Job, JobState

from .conftest import MakeJob, now_is

AGE = timedelta(hours=1)
LABEL = "datasets.Upload"


def _fail(job: Job, lease: Lease) -> None:
    raise RuntimeError("the disk is full")


def _counting(calls: list[str]) -> Callable[[Job, Lease], None]:
    return lambda job, lease: calls.append(str(job.pk))


# -- sending --------------------------------------------------------------------------------


def test_sending_marks_the_row_and_leaves_a_message_in_its_queue(make_job: MakeJob) -> None:
    job = make_job()

    assert services.send(job) is True

    assert now_is(job).state == JobState.SENT
    assert now_is(job).sent_at is not None
    message = OrmQ.objects.get()
    assert message.key == "long"
    assert message.task["args"] == (LABEL, job.pk)


def test_a_row_is_sent_once(make_job: MakeJob) -> None:
    job = make_job()
    services.send(job)

    assert services.send(job) is False
    assert OrmQ.objects.count() == 1


def test_a_message_that_cannot_be_left_leaves_the_row_pending(make_job: MakeJob) -> None:
    job = make_job()

    @transaction.atomic
    def send_and_break() -> None:
        services.send(job)
        raise RuntimeError("the broker is away")

    with pytest.raises(RuntimeError):
        send_and_break()

    assert now_is(job).state == JobState.PENDING
    assert not OrmQ.objects.exists()


# -- the sweep ------------------------------------------------------------------------------


def test_the_sweep_sends_what_is_due(make_job: MakeJob) -> None:
    due, later = make_job(), make_job(not_before=timezone.now() + AGE)

    services.sweep()

    assert now_is(due).state == JobState.SENT
    assert now_is(later).state == JobState.PENDING


def test_a_lost_message_is_sent_again(make_job: MakeJob) -> None:
    job = make_job(state=JobState.SENT, sent_at=timezone.now() - AGE)

    services.sweep()

    assert now_is(job).state == JobState.SENT
    assert OrmQ.objects.count() == 1


def test_an_expired_lease_goes_back_and_is_sent_again(make_job: MakeJob) -> None:
    past = timezone.now() - AGE
    job = make_job(state=JobState.RUNNING, lease="dead", lease_until=past, deliveries=1)

    services.sweep()

    row = now_is(job)
    assert (row.state, row.lease, row.lease_until) == (JobState.SENT, "", None)


def test_a_lease_that_was_renewed_meanwhile_stays(make_job: MakeJob) -> None:
    job = make_job()
    lease = claim(Upload, job.pk)
    assert lease is not None
    Upload.objects.filter(pk=job.pk).update(lease_until=timezone.now() - AGE)
    as_the_sweep_read_it = Upload.overdue().get()
    lease.renew()

    services.recover_one(as_the_sweep_read_it)

    assert now_is(job).lease == lease.token


def test_after_five_deliveries_the_job_fails_with_the_reason(make_job: MakeJob) -> None:
    past = timezone.now() - AGE
    job = make_job(
        state=JobState.RUNNING, lease="dead", lease_until=past, deliveries=MAX_DELIVERIES
    )

    services.sweep()

    row = now_is(job)
    assert row.state == JobState.FAILED
    assert row.error == "the worker died 5 times on it"
    assert row.outcome is not None
    assert row.outcome["status"] == 500


def test_what_breaks_for_one_kind_of_job_does_not_keep_the_others_waiting(
    make_job: MakeJob,
) -> None:
    broken = make_job(
        state=JobState.RUNNING,
        lease="dead",
        lease_until=timezone.now() - AGE,
        deliveries=MAX_DELIVERIES,
    )
    fine = make_job(state=JobState.SENT, sent_at=timezone.now() - AGE)
    turns: list[str] = []

    def act(job: Upload) -> None:
        turns.append(job.pk)
        if job == broken:
            raise RuntimeError("cannot give up")

    with pytest.raises(RuntimeError, match="cannot give up"):
        services.each([broken, fine], act)

    assert turns == [broken.pk, fine.pk]


# -- doing ----------------------------------------------------------------------------------


def test_a_message_does_the_work_once_however_often_it_comes(make_job: MakeJob) -> None:
    calls: list[str] = []
    job = make_job(_counting(calls))

    for _ in range(3):
        tasks.look_at(LABEL, job.pk)

    assert calls == [job.pk]
    assert now_is(job).state == JobState.DONE


def test_a_message_that_comes_late_leaves_what_waits_for_its_time(make_job: MakeJob) -> None:
    calls: list[str] = []
    job = make_job(_counting(calls))
    services.send(job)
    Upload.objects.filter(pk=job.pk).update(state="pending", not_before=timezone.now() + AGE)

    tasks.look_at(LABEL, job.pk)

    assert calls == []
    assert (now_is(job).state, now_is(job).deliveries) == (JobState.PENDING, 0)


def test_a_message_that_comes_late_finds_its_row_sent_again(make_job: MakeJob) -> None:
    calls: list[str] = []
    job = make_job(_counting(calls))
    services.send(job)
    Upload.objects.filter(pk=job.pk).update(sent_at=timezone.now() - AGE)
    services.sweep()

    for message in OrmQ.objects.all():
        tasks.look_at(*message.task["args"])

    assert OrmQ.objects.count() == 2
    assert calls == [job.pk]


def test_a_surprise_waits_longer_each_time_and_then_fails(make_job: MakeJob) -> None:
    job = make_job(_fail)
    waits = []

    for _ in range(MAX_DELIVERIES):
        Upload.objects.filter(pk=job.pk).update(not_before=timezone.now())
        before = timezone.now()
        services.look_at(Upload, job.pk)
        waits.append(round((now_is(job).not_before - before).total_seconds()))

    row = now_is(job)
    assert waits == [2, 4, 8, 16, 0]
    assert (row.state, row.error) == (JobState.FAILED, "RuntimeError: the disk is full")
    assert row.outcome is not None
    assert row.outcome["code"] == "internal_error"


def test_a_worker_that_lost_its_lease_changes_nothing_more(make_job: MakeJob) -> None:
    def lose(job: Job, lease: Lease) -> None:
        Upload.objects.filter(pk=job.pk).update(lease="somebody else")
        raise LeaseLost

    job = make_job(lose)

    services.look_at(Upload, job.pk)

    row = now_is(job)
    assert (row.state, row.lease) == (JobState.RUNNING, "somebody else")


def test_work_is_done_here_also_when_its_message_was_sent_elsewhere(make_job: MakeJob) -> None:
    calls: list[str] = []
    waiting, sent = make_job(_counting(calls)), make_job(_counting(calls))
    services.send(sent)

    services.work_here(lambda: len(calls) == 2)

    assert set(calls) == {waiting.pk, sent.pk}
    tasks.look_at(LABEL, sent.pk)
    assert len(calls) == 2


def test_what_is_not_due_yet_is_not_done_here(make_job: MakeJob) -> None:
    calls: list[str] = []
    make_job(_counting(calls), not_before=timezone.now() + AGE)
    due = make_job(_counting(calls))

    services.work_here(lambda: bool(calls))

    assert calls == [due.pk]


# -- heartbeats -----------------------------------------------------------------------------


def test_a_process_beats_in_one_row_and_is_alive_for_seconds(db: None) -> None:
    services.beat("worker", slots=2)
    services.beat("worker", slots=4)

    assert Heartbeat.objects.get().slots == 4
    assert services.alive("worker", timezone.now()) == 1
    assert services.alive("web", timezone.now()) == 0
    assert services.alive("worker", timezone.now() + timedelta(seconds=20)) == 0
