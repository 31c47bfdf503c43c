"""Whoever asks does the work, unless somebody living is at it; what failed rests a while."""

import subprocess
import sys
from datetime import timedelta

import pytest
from django.db.models import QuerySet
from django.utils import timezone

from apps.datasets.models import Upload
from apps.jobs.asking import AGAIN, ask_again, done_here, try_again
from apps.jobs.leases import claim
from apps.jobs.models import MAX_DELIVERIES, JobState
from apps.jobs.owners import has_died, new_token
from tests.processes import CHECKOUT, wait_until

from .conftest import MakeJob, now_is

SAY_TOKEN = "from apps.jobs.owners import new_token; print(new_token(), flush=True)"
ENDED = [JobState.DONE, JobState.FAILED, JobState.CANCELLED]


def _rows(job: Upload) -> QuerySet[Upload]:
    return Upload.objects.filter(pk=job.pk)


def _token_of_the_dead() -> str:
    said = subprocess.check_output([sys.executable, "-c", SAY_TOKEN], cwd=CHECKOUT, text=True)
    return said.strip()


def test_whoever_asks_does_it(make_job: MakeJob) -> None:
    job = make_job()

    assert done_here(job)
    assert now_is(job).state == JobState.DONE


def test_what_somebody_is_at_is_left_to_them(make_job: MakeJob) -> None:
    job = make_job()
    claim(Upload, job.pk)

    assert not done_here(job)
    assert now_is(job).state == JobState.RUNNING


def test_what_somebody_died_at_is_done_before_the_lease_expires(make_job: MakeJob) -> None:
    job = make_job()
    claim(Upload, job.pk)
    _rows(job).update(lease=_token_of_the_dead())

    assert done_here(job)
    assert (now_is(job).state, now_is(job).deliveries) == (JobState.DONE, 2)


def test_what_killed_everybody_who_tried_is_left_to_be_given_up(make_job: MakeJob) -> None:
    job = make_job()
    claim(Upload, job.pk)
    _rows(job).update(lease=_token_of_the_dead(), deliveries=MAX_DELIVERIES)

    assert not done_here(job)
    assert (now_is(job).state, now_is(job).deliveries) == (JobState.RUNNING, MAX_DELIVERIES)


def test_who_was_killed_has_died_before_its_parent_notices() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SAY_TOKEN], cwd=CHECKOUT, stdout=subprocess.PIPE, text=True
    ) as asker:
        assert asker.stdout
        token = asker.stdout.readline().strip()
        asker.stdout.read()  # it has closed it: it ends, and nobody has waited for it
        wait_until(lambda: has_died(token), 30)
        assert asker.returncode is None


def test_of_another_machine_nobody_is_known_to_have_died() -> None:
    token = _token_of_the_dead()
    elsewhere = f"{int(token[:8], 16) ^ 1:08x}{token[8:]}"

    assert has_died(token)
    assert not has_died(elsewhere)
    assert not has_died("")


def test_tokens_of_one_process_differ() -> None:
    tokens = {new_token() for _ in range(100)}

    assert len(tokens) == 100
    assert {len(token) for token in tokens} == {32}


@pytest.mark.parametrize("state", ENDED)
def test_what_has_ended_is_done_anew(make_job: MakeJob, state: JobState) -> None:
    job = make_job(state=state, error="broken", deliveries=5, finished_at=timezone.now())

    assert ask_again(_rows(job)) == 1

    row = now_is(job)
    assert (row.state, row.error, row.deliveries) == (JobState.PENDING, "", 0)
    assert row.finished_at is None


def test_what_runs_is_not_begun_twice(make_job: MakeJob) -> None:
    job = make_job()
    claim(Upload, job.pk)

    assert ask_again(_rows(job)) == 0
    assert now_is(job).state == JobState.RUNNING


def test_what_failed_is_tried_again_after_a_while(make_job: MakeJob) -> None:
    now = timezone.now()
    just_now = make_job(state=JobState.FAILED, finished_at=now)
    before = make_job(state=JobState.FAILED, finished_at=now - AGAIN - timedelta(seconds=1))
    done = make_job(state=JobState.DONE, finished_at=now - 2 * AGAIN)

    assert try_again(Upload.objects.all()) == 1

    states = [now_is(job).state for job in (just_now, before, done)]
    assert states == [JobState.FAILED, JobState.PENDING, JobState.DONE]
