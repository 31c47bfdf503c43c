"""Two supervisors on one PostgreSQL: the same guarantees, whichever of them dies."""

import signal

import pytest

from tests.model_server import ModelServer
from tests.processes import kill

from .conftest import LONG_LEASE, Install, Work
from .proof import assert_paid_once, assert_whole

pytestmark = pytest.mark.kill

SLOTS = 12
LATENCY_MS = 250


def test_two_supervisors_share_a_run_and_ask_nobody_twice(
    postgres: str, install: Install, work: Work, model_server: ModelServer
) -> None:
    model_server.plan(latency_ms=10)
    installation, run = install(
        400, database=postgres, workers=2, concurrency=SLOTS, lease=LONG_LEASE
    )
    work(installation)
    work(installation)

    assert installation.wait_for_end(run) == "completed"
    assert_whole(installation, run, 400)
    assert_paid_once(model_server)
    assert model_server.stats()["peak_concurrency"] <= SLOTS


@pytest.mark.parametrize("victim", ["the workers", "the supervisor"])
def test_one_of_two_supervisors_loses_something_and_the_run_ends_whole(
    postgres: str, install: Install, work: Work, model_server: ModelServer, victim: str
) -> None:
    model_server.plan(latency_ms=LATENCY_MS)
    installation, run = install(200, database=postgres, workers=2, concurrency=SLOTS)
    first, _second = work(installation), work(installation)
    installation.wait_for_results(50)

    if victim == "the supervisor":
        first.end(signal.SIGKILL)
    else:
        for each in first.workers():
            kill(each)

    assert installation.wait_for_end(run) == "completed"
    assert_whole(installation, run, 200)
    assert_paid_once(model_server, dead_slots=SLOTS, latency_ms=LATENCY_MS)
