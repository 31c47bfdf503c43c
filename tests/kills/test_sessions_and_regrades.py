"""kill -9 amid sessions and regrades: no turn is lost or asked twice without need."""

import json
from collections.abc import Callable

import pytest

from tests.model_server import ModelServer
from tests.processes import kill, wait_until

from .conftest import LONG_LEASE, Install, Work
from .installation import Installation, Workers
from .proof import assert_paid_once

pytestmark = pytest.mark.kill

TALKS = 60
TURNS = 3
SLOTS = 6
LATENCY_MS = 250
GRADED = 6_000


def _one_worker(running: Workers) -> None:
    kill(running.workers()[0])


def _all_workers(running: Workers) -> None:
    for each in running.workers():
        kill(each)


def _group(running: Workers) -> None:
    for each in running.cluster():
        kill(each)


KILLS = [_one_worker, _all_workers, _group]


def _turns(installation: Installation) -> int:
    """Attempts that were answered."""
    return int(installation.one("SELECT COUNT(*) FROM runs_attempt WHERE error_code = ''"))


@pytest.mark.parametrize("kill", KILLS)
def test_a_worker_killed_amid_sessions_goes_on_where_each_of_them_was(
    install: Install, work: Work, model_server: ModelServer, kill: Callable[[Workers], None]
) -> None:
    model_server.plan(latency_ms=LATENCY_MS, wrong_rate=0)
    installation, run = install(TALKS, concurrency=SLOTS, kind="set_up_sessions")
    running = work(installation)
    wait_until(lambda: _turns(installation) > TALKS, 120)

    kill(running)

    assert installation.wait_for_end(run) == "completed"
    rows = installation.ask(
        f"SELECT ordinal, extra, attempts FROM runs_result WHERE run_id='{run}'"
    )
    assert sorted(ordinal for ordinal, *_rest in rows) == [*range(TALKS)]
    for ordinal, extra, attempts in rows:
        turns = (json.loads(extra) if isinstance(extra, str) else extra)["turns"]
        told = [str(ordinal + turn) for turn in range(1, TURNS + 1)]
        assert [turn["output_text"] for turn in turns] == told
        assert attempts == TURNS
    asked = installation.one("SELECT COUNT(*) FROM runs_attempt")
    assert asked == TALKS * TURNS
    assert_paid_once(model_server, dead_slots=SLOTS, latency_ms=LATENCY_MS)


def test_sessions_that_nobody_kills_are_asked_once(
    install: Install, work: Work, model_server: ModelServer
) -> None:
    model_server.plan(latency_ms=5)
    installation, run = install(TALKS, concurrency=SLOTS, kind="set_up_sessions", lease=LONG_LEASE)
    work(installation)

    assert installation.wait_for_end(run) == "completed"
    assert model_server.stats()["requests"] == TALKS * TURNS
    assert_paid_once(model_server)


@pytest.mark.parametrize("kill", KILLS)
def test_a_worker_killed_amid_a_regrade_loses_and_doubles_nothing(
    install: Install, work: Work, model_server: ModelServer, kill: Callable[[Workers], None]
) -> None:
    installation, parent = install(GRADED, concurrency=64)
    running = work(installation)
    assert installation.wait_for_end(parent) == "completed"
    asked = model_server.stats()["requests"]

    child = installation.call("begin_regrade", parent=parent)
    wait_until(lambda: _graded(installation, child) > 0, 120)
    kill(running)

    assert installation.wait_for_end(child) == "completed"
    assert model_server.stats()["requests"] == asked
    assert _graded(installation, child) == GRADED
    compared = "SELECT ordinal, response, verdict, score, attempts FROM runs_result WHERE run_id="
    assert sorted(installation.ask(f"{compared}'{child}'")) == sorted(
        installation.ask(f"{compared}'{parent}'")
    )
    scores = f"SELECT COUNT(*) FROM runs_score WHERE run_id='{child}'"
    assert installation.one(scores) == 2 * GRADED


def _graded(installation: Installation, run: str) -> int:
    return int(installation.one(f"SELECT COUNT(*) FROM runs_result WHERE run_id='{run}'"))
