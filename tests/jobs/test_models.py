"""What the columns of a job say: what is due, what is overdue, what may run."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import timezone

from apps.datasets.models import Upload
from apps.jobs.models import JobState
from apps.runs.models import Chunk

from .conftest import MakeJob

AGE = timedelta(hours=1)


def test_what_waits_longest_is_due_first_and_the_future_is_not_due(make_job: MakeJob) -> None:
    late = make_job(not_before=timezone.now() - timedelta(seconds=5))
    early = make_job(not_before=timezone.now() - timedelta(seconds=9))
    make_job(not_before=timezone.now() + AGE)

    assert list(Upload.due()) == [early, late]


@pytest.mark.parametrize("state", [state for state in JobState if state != JobState.PENDING])
def test_only_what_is_pending_is_due(make_job: MakeJob, state: JobState) -> None:
    make_job(state=state, lease="held" if state == JobState.RUNNING else "")

    assert not Upload.due().exists()


def test_expired_leases_and_lost_messages_are_overdue(make_job: MakeJob) -> None:
    expired = make_job(state=JobState.RUNNING, lease="a", lease_until=timezone.now() - AGE)
    lost = make_job(state=JobState.SENT, sent_at=timezone.now() - AGE)
    make_job(state=JobState.RUNNING, lease="b", lease_until=timezone.now() + AGE)
    make_job(state=JobState.SENT, sent_at=timezone.now())
    make_job(state=JobState.DONE, sent_at=timezone.now() - AGE)

    assert set(Upload.overdue()) == {expired, lost}


@pytest.mark.parametrize(("state", "lease"), [(JobState.RUNNING, ""), (JobState.DONE, "held")])
def test_a_job_runs_under_a_lease_and_only_then(
    make_job: MakeJob, state: JobState, lease: str
) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        make_job(state=state, lease=lease)


def test_at_most_a_window_of_messages_is_under_way(make_job: MakeJob) -> None:
    for _ in range(5):
        make_job()
    make_job(state=JobState.SENT, sent_at=Now())

    assert len(list(Upload.sendable(3))) == 2
    assert len(list(Upload.sendable(1))) == 0


@pytest.mark.parametrize(
    ("state", "is_open"),
    [
        (JobState.PENDING, True),
        (JobState.SENT, True),
        (JobState.RUNNING, True),
        (JobState.DONE, False),
        (JobState.FAILED, False),
        (JobState.CANCELLED, False),
    ],
)
def test_a_job_is_open_until_it_has_ended(state: JobState, is_open: bool) -> None:
    assert Upload(state=state).is_open is is_open


def test_the_lease_is_as_long_as_the_configuration_says() -> None:
    assert Chunk.lease_seconds == settings.LEASE_SECONDS
    assert Upload.lease_seconds == 2 * settings.LEASE_SECONDS
