"""A lease is held by one worker at a time; who lost it writes nothing more."""

import time
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from apps.datasets.models import Upload
from apps.jobs import leases
from apps.jobs.leases import LeaseLost, claim
from apps.jobs.models import JobState

from .conftest import MakeJob, now_is

AGE = timedelta(hours=1)


def _expire(job: Upload) -> None:
    Upload.objects.filter(pk=job.pk).update(lease_until=timezone.now() - AGE)


@pytest.mark.parametrize("state", [JobState.PENDING, JobState.SENT])
def test_a_free_row_is_claimed(make_job: MakeJob, state: JobState) -> None:
    job = make_job(state=state)

    lease = claim(Upload, job.pk)

    assert lease is not None
    row = now_is(job)
    assert (row.state, row.lease, row.deliveries) == (JobState.RUNNING, lease.token, 1)
    assert row.lease_until is not None
    left = row.lease_until - timezone.now()
    assert timedelta(seconds=50) < left <= timedelta(seconds=Upload.lease_seconds)


def test_a_second_delivery_finds_the_row_taken(make_job: MakeJob) -> None:
    job = make_job()
    first = claim(Upload, job.pk)

    second = claim(Upload, job.pk)

    assert first is not None
    assert second is None
    assert now_is(job).deliveries == 1


@pytest.mark.parametrize("state", [JobState.DONE, JobState.FAILED, JobState.CANCELLED])
def test_what_has_ended_is_never_claimed(make_job: MakeJob, state: JobState) -> None:
    job = make_job(state=state)

    assert claim(Upload, job.pk) is None
    assert now_is(job).state == state


def test_an_expired_lease_goes_to_the_next_worker(make_job: MakeJob) -> None:
    job = make_job()
    slow = claim(Upload, job.pk)
    _expire(job)

    quick = claim(Upload, job.pk)

    assert slow is not None
    assert quick is not None
    assert quick.renew() is True
    assert slow.renew() is False
    assert now_is(job).deliveries == 2


def test_a_worker_that_was_fenced_out_can_neither_renew_nor_close(make_job: MakeJob) -> None:
    job = make_job()
    slow = claim(Upload, job.pk)
    assert slow is not None
    _expire(job)
    quick = claim(Upload, job.pk)
    assert quick is not None

    assert slow.close() is False
    with pytest.raises(LeaseLost):
        slow.require()
    assert now_is(job).lease == quick.token


def test_what_was_written_under_a_lost_lease_is_rolled_back(make_job: MakeJob) -> None:
    job = make_job()
    lease = claim(Upload, job.pk)
    assert lease is not None
    Upload.objects.filter(pk=job.pk).update(state=JobState.CANCELLED, lease="")

    @transaction.atomic
    def write() -> None:
        Upload.objects.filter(pk=job.pk).update(name="written")
        lease.require()

    with pytest.raises(LeaseLost):
        write()

    assert now_is(job).name == "drill"


def test_renewing_keeps_progress_and_moves_the_end(make_job: MakeJob) -> None:
    job = make_job()
    lease = claim(Upload, job.pk)
    assert lease is not None
    _expire(job)

    assert lease.renew(done=3, total=7) is True

    row = now_is(job)
    assert (row.done, row.total) == (3, 7)
    assert row.lease_until is not None
    assert row.lease_until > timezone.now()


def test_progress_is_written_at_most_once_a_second(make_job: MakeJob) -> None:
    job = make_job()
    lease = claim(Upload, job.pk)
    assert lease is not None

    lease.progress(1, 9)
    assert now_is(job).done == 0

    time.sleep(leases.RENEW_EVERY)
    lease.progress(2, 9)
    assert now_is(job).done == 2


def test_closing_ends_the_job_once(make_job: MakeJob) -> None:
    job = make_job()
    lease = claim(Upload, job.pk)
    assert lease is not None

    assert lease.close(error="fine") is True
    assert lease.close(JobState.FAILED) is False

    row = now_is(job)
    assert (row.state, row.lease, row.lease_until, row.error) == (JobState.DONE, "", None, "fine")
    assert row.finished_at is not None
