"""kill -9 of whatever works on a run: no record is lost, none is asked twice without need."""

import signal
from collections.abc import Callable

import pytest

from tests.model_server import ModelServer
from tests.processes import alive, kill, wait_until

from .conftest import LONG_LEASE, Install, Work
from .installation import TERMINAL, Installation, Workers
from .proof import assert_paid_once, assert_whole

pytestmark = pytest.mark.kill

RECORDS = 200
WORKERS = 3
SLOTS = 12
LATENCY_MS = 250


def _begin(install: Install, work: Work, server: ModelServer) -> tuple[Installation, Workers, str]:
    """A run that is about a quarter through."""
    server.plan(latency_ms=LATENCY_MS)
    installation, run = install(RECORDS, concurrency=SLOTS, workers=WORKERS)
    running = work(installation)
    installation.wait_for_results(RECORDS // 4)
    return installation, running, run


def _a_worker(running: Workers) -> None:
    kill(running.workers()[0])


def _all_workers(running: Workers) -> None:
    for each in running.workers():
        kill(each)


def _sentinel(running: Workers) -> None:
    kill(running.cluster()[1])


def _group(running: Workers) -> None:
    for each in running.cluster():
        kill(each)


@pytest.mark.parametrize("kill", [_a_worker, _all_workers, _sentinel, _group])
def test_whatever_is_killed_at_work_every_record_has_one_result(
    install: Install, work: Work, model_server: ModelServer, kill: Callable[[Workers], None]
) -> None:
    installation, running, run = _begin(install, work, model_server)

    kill(running)

    assert installation.wait_for_end(run) == "completed"
    assert_whole(installation, run, RECORDS)
    assert_paid_once(model_server, dead_slots=SLOTS, latency_ms=LATENCY_MS)


def test_workers_that_were_killed_idle_do_not_stop_the_next_run(
    install: Install, work: Work, model_server: ModelServer
) -> None:
    installation, first = install(20, concurrency=SLOTS)
    running = work(installation)
    installation.wait_for_end(first)
    old = running.cluster()

    _all_workers(running)
    second = installation.call("begin")

    assert installation.wait_for_end(second) == "completed"
    assert not any(alive(each) for each in old)
    assert installation.results() == 40


def test_kill_9_of_the_supervisor_leaves_the_run_to_the_next_one(
    install: Install, work: Work, model_server: ModelServer
) -> None:
    installation, running, run = _begin(install, work, model_server)

    running.end(signal.SIGKILL)
    assert running.left_behind() == []
    work(installation)

    assert installation.wait_for_end(run) == "completed"
    assert_whole(installation, run, RECORDS)
    assert_paid_once(model_server, dead_slots=SLOTS, latency_ms=LATENCY_MS)


def test_killing_twice_loses_nothing(
    install: Install, work: Work, model_server: ModelServer
) -> None:
    installation, running, run = _begin(install, work, model_server)
    _group(running)
    stored = installation.results()
    wait_until(lambda: installation.results() > stored, 120)

    _group(running)

    assert installation.wait_for_end(run) == "completed"
    assert_whole(installation, run, RECORDS)
    assert_paid_once(model_server, dead_slots=2 * SLOTS, latency_ms=LATENCY_MS)


def test_a_clean_run_asks_nobody_twice(
    install: Install, work: Work, model_server: ModelServer
) -> None:
    model_server.plan(latency_ms=5)
    installation, run = install(600, concurrency=32, lease=LONG_LEASE)
    work(installation)

    assert installation.wait_for_end(run) == "completed"
    assert_whole(installation, run, 600)
    assert_paid_once(model_server)
    stats = model_server.stats()
    assert stats["requests"] == stats["distinct_answered"] == 600
    assert stats["peak_concurrency"] <= 32


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_small_concurrency_holds_over_runs_and_workers(
    install: Install, work: Work, model_server: ModelServer, concurrency: int
) -> None:
    model_server.plan(latency_ms=5)
    installation, first = install(60, concurrency=concurrency, lease=LONG_LEASE)
    second = installation.call("begin")

    work(installation)

    assert installation.wait_for_end(first) == "completed"
    assert installation.wait_for_end(second) == "completed"
    assert model_server.stats()["peak_concurrency"] == concurrency


def test_a_run_killed_while_it_is_finalised_is_finalised_once(
    install: Install, work: Work, model_server: ModelServer
) -> None:
    installation, run = install(600, concurrency=32, lease=LONG_LEASE)
    running = work(installation)
    wait_until(lambda: installation.state(run) in ("finalizing", *TERMINAL), 120)

    _group(running)

    assert installation.wait_for_end(run, 300) == "completed"
    assert_whole(installation, run, 600)
    assert_paid_once(model_server)
