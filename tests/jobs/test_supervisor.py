"""`evalhub worker` under kill -9: whatever dies, work goes on, and nobody is left behind."""

import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.postgres import own_database
from tests.processes import (
    CHECKOUT,
    END_SECONDS,
    START_SECONDS,
    Running,
    alive,
    bare_environment,
    command_of,
    kill,
    wait_until,
)

pytestmark = pytest.mark.kill


class Workers(Running):
    """A supervisor with two workers in the default queue and one in the long one."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment
        self.folder = Path(environment["EVALHUB_DATA_DIR"])
        super().__init__("worker", "--patience", "5", environment=environment)

    def cluster(self, queue: str = "evalhub") -> list[psutil.Process]:
        """Main process, sentinel, workers, monitor, pusher: in the order they were started."""
        started = ["-m", "evalhub", "cluster", queue]
        return [each for each in self.find("cluster") if command_of(each)[1:5] == started]

    def is_whole(self) -> bool:
        return len(self.cluster()) >= 6 and len(self.cluster("long")) >= 5

    def send(self, function: str, *arguments: object, queue: str = "evalhub") -> None:
        """Enqueue a task as any process of ours does."""
        code = (
            "from django_q.tasks import async_task;"
            f"async_task({function!r}, *{arguments!r}, cluster={queue!r})"
        )
        command = [sys.executable, "-m", "evalhub", "shell", "-v", "0", "-c", code]
        subprocess.run(command, cwd=CHECKOUT, env=self.environment, check=True, timeout=120)

    def does_a_task(self, queue: str = "evalhub", seconds: float = START_SECONDS) -> bool:
        proof = self.folder / uuid.uuid4().hex
        self.send("os.mkdir", str(proof), queue=queue)
        wait_until(proof.is_dir, seconds)
        return True

    def begins_a_long_task(self) -> None:
        proof = self.folder / uuid.uuid4().hex
        self.send("tests.processes.begin_and_stay", str(proof))
        wait_until(proof.is_dir, START_SECONDS)


@pytest.fixture(scope="module", params=["SQLite", "PostgreSQL"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@contextmanager
def _database(kind: str) -> Iterator[dict[str, str]]:
    """What names a new one: SQLite lies in the data directory."""
    if kind == "SQLite":
        yield {}
        return
    with own_database() as address:
        yield {"EVALHUB_DATABASE_URL": address}


@contextmanager
def _started(folder: Path, kind: str) -> Iterator[Workers]:
    with _database(kind) as database:
        running = Workers(bare_environment(folder / "data", EVALHUB_WORKERS="2", **database))
        try:
            wait_until(running.is_whole, START_SECONDS)
            yield running
        finally:
            running.clean_up()


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory, kind: str) -> Iterator[Workers]:
    """One supervisor for the tests that leave it running."""
    with _started(tmp_path_factory.mktemp("workers"), kind) as running:
        yield running


@pytest.fixture
def own_workers(tmp_path: Path, kind: str) -> Iterator[Workers]:
    """A supervisor for one test, which ends it."""
    with _started(tmp_path, kind) as running:
        yield running


@pytest.mark.parametrize("queue", ["evalhub", "long"])
def test_each_queue_has_workers_of_its_own(workers: Workers, queue: str) -> None:
    assert workers.does_a_task(queue)


@pytest.mark.parametrize(
    "victims",
    [slice(2, 4), slice(2, 3), slice(1, 2), slice(0, 1), slice(-1, None), slice(None)],
    ids=["all workers", "one worker", "sentinel", "main process", "pusher", "whole group"],
)
def test_whatever_is_killed_idle_the_cluster_is_new_and_works(
    workers: Workers, victims: slice
) -> None:
    wait_until(workers.is_whole, START_SECONDS)
    old = workers.cluster()

    for victim in old[victims]:
        kill(victim)

    wait_until(lambda: not any(alive(each) for each in old), END_SECONDS)
    assert workers.does_a_task()


def test_a_worker_killed_at_work_takes_only_its_own_cluster_along(workers: Workers) -> None:
    wait_until(workers.is_whole, START_SECONDS)
    old, other = workers.cluster(), workers.cluster("long")
    workers.begins_a_long_task()

    old[2].kill()

    wait_until(lambda: not any(alive(each) for each in old), END_SECONDS)
    assert workers.does_a_task()
    assert all(alive(each) for each in other)


def test_a_death_that_the_sentinel_does_not_notice_ends_the_cluster(workers: Workers) -> None:
    wait_until(workers.is_whole, START_SECONDS)
    old = workers.cluster()

    old[1].suspend()
    old[2].kill()

    wait_until(lambda: not any(alive(each) for each in old), END_SECONDS)
    assert workers.does_a_task()


def test_a_cluster_that_takes_no_message_is_replaced(workers: Workers) -> None:
    wait_until(workers.is_whole, START_SECONDS)
    old = workers.cluster()
    time.sleep(1)  # a process frozen while it writes would hold the lock of SQLite
    old[-1].suspend()

    assert workers.does_a_task()

    assert not any(alive(each) for each in old)
    assert "takes no message" in workers.output


def test_kill_9_of_the_supervisor_leaves_nobody_and_the_next_one_works(
    own_workers: Workers,
) -> None:
    own_workers.end(signal.SIGKILL)

    assert own_workers.left_behind() == []

    again = Workers(own_workers.environment)
    try:
        assert again.does_a_task()
    finally:
        again.clean_up()


def test_sigterm_ends_in_time_though_a_task_is_running(own_workers: Workers) -> None:
    own_workers.begins_a_long_task()

    assert own_workers.end(signal.SIGTERM) == 0
    assert own_workers.left_behind() == []
