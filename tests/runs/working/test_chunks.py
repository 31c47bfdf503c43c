"""One chunk: every record a result, whoever works on it and dies."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from apps.jobs import services as jobs
from apps.jobs.leases import LeaseLost
from apps.jobs.models import MAX_DELIVERIES, JobState
from apps.runs.models import Chunk, Run, RunState
from apps.runs.working.loading import load
from tests.runs.conftest import again, drain, expire, lease_of, statuses, work_on

# -- a clean delivery -----------------------------------------------------------------------


def test_a_chunk_gives_every_record_its_result(one_chunk: Run) -> None:
    chunk = work_on(one_chunk.chunks.get())

    assert (chunk.state, chunk.done, chunk.deliveries) == (JobState.DONE, 6, 1)
    assert statuses(one_chunk) == {"completed": 6}
    assert one_chunk.attempts.count() == 6
    assert again(one_chunk).state == RunState.FINALIZING


def test_a_second_delivery_changes_nothing(one_chunk: Run) -> None:
    chunk = one_chunk.chunks.get()
    work_on(chunk)
    before = (
        list(one_chunk.results.order_by("pk").values_list()),
        list(one_chunk.attempts.order_by("pk").values_list()),
    )

    jobs.look_at(Chunk, chunk.pk)

    assert (
        list(one_chunk.results.order_by("pk").values_list()),
        list(one_chunk.attempts.order_by("pk").values_list()),
    ) == before
    assert again(chunk).deliveries == 1


def test_what_has_a_result_is_not_asked_again(one_chunk: Run) -> None:
    chunk = one_chunk.chunks.get()
    work_on(chunk)
    one_chunk.results.filter(ordinal__gte=4).delete()
    asked_before = dict(one_chunk.attempts.values_list("ordinal", "started_at"))
    Chunk.objects.filter(pk=chunk.pk).update(state=JobState.PENDING)
    Run.objects.filter(pk=one_chunk.pk).update(state=RunState.RUNNING)

    work_on(chunk)

    asked = dict(one_chunk.attempts.values_list("ordinal", "started_at"))
    assert {o for o in asked if asked[o] != asked_before[o]} == {4, 5}
    assert statuses(one_chunk) == {"completed": 6}


# -- dying workers --------------------------------------------------------------------------


def test_a_chunk_of_a_dead_worker_goes_to_the_next_one(one_chunk: Run) -> None:
    chunk = one_chunk.chunks.get()
    lease_of(chunk)
    expire(chunk)

    drain(one_chunk)

    assert one_chunk.state == RunState.COMPLETED
    assert again(chunk).deliveries == 2


def test_a_worker_that_was_fenced_out_writes_nothing(one_chunk: Run) -> None:
    chunk = one_chunk.chunks.get()
    slow = lease_of(chunk)
    expire(chunk)
    quick = lease_of(chunk)

    with pytest.raises(LeaseLost):
        slow.job.perform(slow)

    assert not one_chunk.results.exists()
    assert not one_chunk.attempts.exists()
    assert again(chunk).lease == quick.token


def test_each_delivery_begins_elsewhere(one_chunk: Run) -> None:
    """So that a record that kills its worker does not take the others along."""
    chunk = one_chunk.chunks.get()
    orders = []
    for deliveries in range(1, MAX_DELIVERIES + 1):
        chunk.deliveries = deliveries
        items = load(one_chunk, chunk, lease_of(again(chunk))).items
        orders.append([item.ordinal for item in items])
        expire(chunk)

    assert all(sorted(order) == [0, 1, 2, 3, 4, 5] for order in orders)
    assert len({order[0] for order in orders}) == MAX_DELIVERIES


def test_after_five_deaths_every_record_has_a_result_with_the_reason(one_chunk: Run) -> None:
    chunk = one_chunk.chunks.get()
    for _ in range(MAX_DELIVERIES):
        lease_of(chunk)
        expire(chunk)

    jobs.sweep()
    drain(one_chunk)

    assert again(chunk).state == JobState.FAILED
    assert statuses(one_chunk) == {"evaluation_error": 6}
    assert set(one_chunk.results.values_list("cause", "detail")) == {
        ("worker_lost", "the worker died 5 times on it")
    }
    assert one_chunk.state == RunState.COMPLETED_WITH_FAILURES


def test_what_was_answered_before_the_last_death_is_kept(one_chunk: Run) -> None:
    chunk = one_chunk.chunks.get()
    work_on(chunk)
    one_chunk.results.filter(ordinal__lt=2).delete()
    Run.objects.filter(pk=one_chunk.pk).update(state=RunState.RUNNING)
    Chunk.objects.filter(pk=chunk.pk).update(
        state=JobState.RUNNING,
        lease="dead",
        lease_until=Now() - timedelta(hours=1),
        deliveries=MAX_DELIVERIES,
    )

    jobs.sweep()

    assert statuses(one_chunk) == {"completed": 4, "evaluation_error": 2}


def test_a_message_for_a_run_that_has_ended_asks_nobody(one_chunk: Run) -> None:
    chunk = one_chunk.chunks.get()
    drain(one_chunk)
    attempts = one_chunk.attempts.count()
    Chunk.objects.filter(pk=chunk.pk).update(state=JobState.SENT)

    jobs.look_at(Chunk, chunk.pk)

    assert again(chunk).state == JobState.CANCELLED
    assert one_chunk.attempts.count() == attempts
