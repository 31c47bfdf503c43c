"""Whose turn it is, and how fast: never more calls than a target takes, fair among runs."""

import time
from collections import Counter

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.jobs import services as jobs
from apps.jobs.leases import claim_in_turn
from apps.jobs.models import JobState
from apps.runs.models import Chunk, Run
from apps.runs.working import scheduling
from apps.targets.models import RateLimit, Target
from tests.model_server import ModelServer
from tests.runs.conftest import MakeTarget, MakeVersion, Start, drain, lease_of, prepare, statuses

FREE, TAKEN = JobState.PENDING, (JobState.SENT, JobState.RUNNING)


def _slots(target: Target) -> int:
    under_way = Chunk.objects.filter(target=target, state__in=TAKEN).select_related("run")
    return sum(chunk.run.slots for chunk in under_way)


def _send_all(window: int = 100) -> list[Chunk]:
    """What a sweep sends."""
    return [chunk for chunk in scheduling.sendable(window) if jobs.send(chunk)]


def _free(run: Run) -> None:
    """As if nobody had begun."""
    Chunk.objects.filter(run=run).update(state=FREE, lease="", lease_until=None)


@pytest.mark.parametrize(("concurrency", "chunks"), [(1, 1), (3, 3), (8, 4), (9, 3), (64, 4)])
def test_a_sweep_sends_as_many_chunks_as_the_target_takes(
    start: Start,
    make_version: MakeVersion,
    make_target: MakeTarget,
    settings: object,
    concurrency: int,
    chunks: int,
) -> None:
    settings.Q_CLUSTER = {**settings.Q_CLUSTER, "workers": 4}  # type: ignore[attr-defined]
    target = make_target(concurrency=concurrency)
    run = prepare(start(version=make_version(300), target=target))
    _free(run)

    sent = _send_all()

    assert len(sent) == chunks
    assert _slots(target) <= concurrency
    assert _send_all() == []


def test_no_more_messages_are_under_way_than_the_window(
    start: Start, make_version: MakeVersion, make_target: MakeTarget
) -> None:
    run = prepare(start(version=make_version(300), target=make_target(concurrency=512)))
    _free(run)

    assert len(_send_all(window=2)) == 2
    assert _send_all(window=2) == []


def test_two_runs_of_one_target_take_turns(
    start: Start, make_version: MakeVersion, make_target: MakeTarget
) -> None:
    version, target = make_version(300), make_target(concurrency=4)
    runs = [prepare(start(version=version, target=target)) for _ in range(2)]
    for run in runs:
        _free(run)

    sent = Counter(chunk.run_id for chunk in _send_all())

    assert sent == {run.pk: 2 for run in runs}


def test_a_target_that_is_full_does_not_hide_the_chunks_of_another(
    start: Start, make_version: MakeVersion, make_target: MakeTarget
) -> None:
    version, full, idle = make_version(300), make_target("full", concurrency=1), make_target("idle")
    for _ in range(3):
        prepare(start(version=version, target=full))
    last = prepare(start(version=version, target=idle))
    _free(last)

    assert {chunk.run_id for chunk in _send_all()} == {last.pk}


def test_who_goes_on_takes_the_next_chunk_of_the_same_target(
    start: Start, make_version: MakeVersion, make_target: MakeTarget
) -> None:
    run = prepare(start(version=make_version(300), target=make_target(concurrency=1)))
    (first,) = run.chunks.exclude(state=FREE)
    lease_of(first).close()

    following = scheduling.successor(first)

    assert following is not None
    assert Chunk.objects.get(pk=following).state == JobState.SENT
    assert _slots(first.target) == 1


def test_who_goes_on_leaves_room_that_was_given_away_meanwhile(
    start: Start, make_version: MakeVersion, make_target: MakeTarget
) -> None:
    """Between the end of a chunk and the look for the next one, a sweep may have been."""
    run = prepare(start(version=make_version(300), target=make_target(concurrency=1)))
    (first,) = run.chunks.exclude(state=FREE)
    lease_of(first).close()
    assert len(_send_all()) == 1

    assert scheduling.successor(first) is None
    assert _slots(first.target) == 1


def test_a_choice_that_is_stale_is_not_sent(
    start: Start, make_version: MakeVersion, make_target: MakeTarget
) -> None:
    """Two supervisors looked at the same moment and chose different chunks."""
    target = make_target(concurrency=1)
    run = prepare(start(version=make_version(300), target=target))
    _free(run)
    one, other = run.chunks.order_by("pk")[:2]

    assert jobs.send(one) is True
    assert jobs.send(other) is False
    assert _slots(target) == 1


def test_a_message_that_comes_late_takes_no_room_that_was_given_away(
    start: Start, make_version: MakeVersion, make_target: MakeTarget
) -> None:
    """Its chunk waits again: a sweep took the message for lost."""
    target = make_target(concurrency=1)
    run = prepare(start(version=make_version(300), target=target))
    _free(run)
    one, late = run.chunks.order_by("pk")[:2]
    jobs.send(one)

    jobs.look_at(Chunk, late.pk)

    assert Chunk.objects.get(pk=late.pk).state == FREE
    lease_of(one).close()
    assert claim_in_turn(Chunk, late.pk)
    assert _slots(target) == 1


def test_who_goes_on_gives_way_to_a_run_that_has_less(
    start: Start, make_version: MakeVersion, make_target: MakeTarget
) -> None:
    version, target = make_version(300), make_target(concurrency=2)
    busy, waiting = (prepare(start(version=version, target=target)) for _ in range(2))
    assert set(Chunk.objects.filter(state__in=TAKEN).values_list("run", flat=True)) == {busy.pk}
    first = busy.chunks.exclude(state=FREE)[0]
    lease_of(first).close()

    following = scheduling.successor(first)

    assert following is not None
    assert Chunk.objects.get(pk=following).run_id == waiting.pk


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    concurrency=st.integers(1, 20),
    moves=st.lists(st.sampled_from(["sweep", "claim", "close", "follow"]), max_size=25),
)
def test_no_order_of_events_gives_a_target_more_than_it_takes(
    start: Start,
    make_version: MakeVersion,
    make_target: MakeTarget,
    concurrency: int,
    moves: list[str],
) -> None:
    number = Target.objects.count()
    target = make_target(f"t{number}", concurrency=concurrency)
    version = make_version(120, name=f"d{number}")
    for _ in range(2):
        prepare(start(version=version, target=target))
    chunks = Chunk.objects.filter(target=target)

    for move in ["sweep", *moves]:
        if move == "sweep":
            _send_all()
        elif move == "claim":
            _claim(chunks.filter(state=JobState.SENT).first())
        else:
            running = chunks.filter(state=JobState.RUNNING).first()
            _end(running)
            if running and move == "follow":
                scheduling.successor(running)
        assert _slots(target) <= concurrency


def _claim(chunk: Chunk | None) -> None:
    if chunk:
        lease_of(chunk)


def _end(chunk: Chunk | None) -> None:
    if chunk:
        Chunk.objects.filter(pk=chunk.pk).update(
            state=JobState.DONE, lease="", lease_until=None, finished_at=timezone.now()
        )


# -- requests per minute --------------------------------------------------------------------


def test_a_run_keeps_the_pace_of_its_target(
    start: Start, make_version: MakeVersion, make_target: MakeTarget, model_server: ModelServer
) -> None:
    """600 a minute are ten a second: 25 calls take at least two seconds."""
    target = make_target(
        kind="openai_chat",
        base_url=model_server.base_url,
        requests_per_minute=600,
        concurrency=16,
    )
    began = time.monotonic()

    run = drain(start(version=make_version(25), target=target))

    assert time.monotonic() - began > 2
    assert statuses(run) == {"completed": 25}
    moments = sorted(run.attempts.values_list("started_at", flat=True))
    assert (moments[-1] - moments[0]).total_seconds() > 2
    for first, later in zip(moments, moments[21:], strict=False):  # turns are taken ten at a time
        assert (later - first).total_seconds() > 0.8


def test_without_a_limit_nobody_waits_for_a_turn(start: Start) -> None:
    run = start()
    before = RateLimit.objects.get().next_free_at

    drain(run)

    assert RateLimit.objects.get().next_free_at == before
