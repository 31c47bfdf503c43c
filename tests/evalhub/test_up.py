"""`evalhub up`, started for real: it answers, survives, stops, and leaves nobody behind."""

import http.client
import json
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.processes import (
    END_SECONDS,
    START_SECONDS,
    Running,
    alive,
    bare_environment,
    free_port,
    wait_until,
)

from .conftest import Evalhub

pytestmark = pytest.mark.kill


class Up(Running):
    def __init__(self, data_dir: Path) -> None:
        self.port = free_port()
        super().__init__(
            *("up", "--data-dir", str(data_dir), "--port", str(self.port)),
            environment=bare_environment(data_dir, EVALHUB_WORKERS="1"),
        )

    def health(self) -> dict[str, Any]:
        """The answer of /health, or nothing when it does not answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/health")
            answer: dict[str, Any] = json.load(connection.getresponse())
        except (OSError, http.client.HTTPException):
            return {}
        finally:
            connection.close()
        return answer

    def is_whole(self) -> bool:
        return self.health().get("status") == "ok" and bool(self.find("cluster", "evalhub"))


@contextmanager
def _started(data_dir: Path) -> Iterator[Up]:
    running = Up(data_dir)
    try:
        running.wait_for("EvalHub is up")
        wait_until(running.is_whole, START_SECONDS)
        yield running
    finally:
        running.clean_up()


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One installation for the tests that leave it running."""
    with _started(tmp_path_factory.mktemp("up") / "data") as running:
        yield running


@pytest.fixture
def own_up(tmp_path: Path) -> Iterator[Up]:
    """An installation for one test, which ends it."""
    with _started(tmp_path / "data") as running:
        yield running


def test_it_answers_and_says_where_and_who(up: Up) -> None:
    wait_until(up.is_whole, START_SECONDS)

    health = up.health()

    assert health["database"] == "ok"
    assert health["workers"] == 1
    assert health["queue"] >= 0
    assert f"EvalHub is up: http://127.0.0.1:{up.port}/" in up.output
    assert "evalhub user create" in up.output


@pytest.mark.parametrize("which", ["the server", "its worker"])
def test_a_killed_web_server_is_back(up: Up, which: str) -> None:
    wait_until(up.health, START_SECONDS)
    server, worker = up.find("evalhub.wsgi:application")[:2]

    (server if which == "the server" else worker).kill()

    wait_until(lambda: not alive(server) and not alive(worker), END_SECONDS)
    wait_until(up.health, START_SECONDS)
    assert "web ended" in up.output


def test_a_killed_supervisor_is_back_and_its_clusters_are_new(up: Up) -> None:
    wait_until(up.is_whole, START_SECONDS)
    (supervisor,) = up.find("worker")
    old = up.find("cluster")

    supervisor.kill()

    wait_until(lambda: not any(alive(each) for each in old), END_SECONDS)
    wait_until(lambda: up.find("worker") and up.find("cluster", "long"), START_SECONDS)
    assert old


def test_a_second_start_on_the_same_data_is_refused(up: Up, evalhub: Evalhub) -> None:
    data_dir = up.process.environ()["EVALHUB_DATA_DIR"]

    second = evalhub("up", "--data-dir", data_dir, "--port", str(free_port()))

    assert second.returncode == 1
    assert f"already up on {data_dir}: http://127.0.0.1:{up.port}/" in second.stderr
    assert up.health()


def test_a_taken_port_is_one_sentence(evalhub: Evalhub) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        finished = evalhub("up", "--port", str(port))

    assert finished.returncode == 1
    assert finished.stderr.startswith(f"Something else listens on 127.0.0.1:{port} already.")
    assert len(finished.stderr.splitlines()) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_and_leaves_nobody(own_up: Up, number: signal.Signals) -> None:
    assert own_up.end(number) == 0
    assert own_up.left_behind() == []
    assert "EvalHub has stopped." in own_up.output


def test_kill_9_leaves_nobody(own_up: Up) -> None:
    own_up.end(signal.SIGKILL)

    assert own_up.left_behind() == []
    assert not own_up.health()


def test_a_second_start_goes_on_with_the_same_data(own_up: Up, evalhub: Evalhub) -> None:
    data_dir = own_up.process.environ()["EVALHUB_DATA_DIR"]
    create = (
        "from django.contrib.auth import get_user_model as model;"
        "model().objects.create_user('ada', 'ada@example.org', 'correct horse')"
    )
    assert evalhub("shell", "-v", "0", "-c", create, EVALHUB_DATA_DIR=data_dir).returncode == 0
    own_up.end(signal.SIGINT)

    with _started(Path(data_dir)) as again:
        assert again.health()["database"] == "ok"
        assert "evalhub user create" not in again.output
