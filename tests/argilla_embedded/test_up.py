"""`evalhub up` with its labelling desk: started, restarted, and never in the way of the rest."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest

from evalhub.config import load
from evalhub.listening import is_free
from tests.processes import (
    START_SECONDS,
    Running,
    alive,
    bare_environment,
    free_port,
    wait_until,
)

pytestmark = [pytest.mark.argilla, pytest.mark.kill]


class Up(Running):
    def __init__(self, data: Path, **variables: str) -> None:
        self.port, self.desk_port = free_port(), free_port()
        super().__init__(
            *("up", "--port", str(self.port)),
            environment=bare_environment(
                data,
                EVALHUB_WORKERS="1",
                EVALHUB_ARGILLA_MODE="local",
                EVALHUB_ARGILLA_PORT=str(self.desk_port),
                **variables,
            ),
        )

    def answers(self) -> bool:
        return _is_well(f"http://127.0.0.1:{self.port}/health")

    def desk_answers(self) -> bool:
        return _is_well(f"http://127.0.0.1:{self.desk_port}/api/v1/status")

    def server(self) -> psutil.Process:
        return self.find("argilla_embedded")[0]


def _is_well(url: str) -> bool:
    try:
        return httpx.get(url, timeout=10).is_success
    except httpx.TransportError:
        return False


@contextmanager
def _up(data: Path, **variables: str) -> Iterator[Up]:
    running = Up(data, **variables)
    try:
        running.wait_for("EvalHub is up")
        yield running
    finally:
        running.clean_up()


def test_the_desk_is_started_restarted_and_never_in_the_way(tmp_path: Path) -> None:
    if not load().argilla.python.is_file():
        pytest.skip("no environment for the Argilla server: make argilla")
    with _up(tmp_path / "data") as up:
        wait_until(up.desk_answers, START_SECONDS)
        server, web = up.server(), up.find("evalhub.wsgi:application")[0]

        server.kill()

        wait_until(lambda: not up.desk_answers(), START_SECONDS)
        assert up.answers()
        wait_until(up.desk_answers, START_SECONDS)
        assert "argilla ended (SIGKILL)" in up.output
        assert f"argilla | ready on port {up.desk_port}" in up.output
        assert alive(web)


def test_it_waits_for_its_port_while_something_else_has_it(tmp_path: Path) -> None:
    if not load().argilla.python.is_file():
        pytest.skip("no environment for the Argilla server: make argilla")
    with _up(tmp_path / "data") as up:
        wait_until(up.desk_answers, START_SECONDS)
        up.server().kill()
        wait_until(lambda: is_free("127.0.0.1", up.desk_port), START_SECONDS)

        with socket.create_server(("127.0.0.1", up.desk_port)):
            up.wait_for(f"something else listens on port {up.desk_port}")
            assert up.answers()

        wait_until(up.desk_answers, START_SECONDS)
        assert up.output.count("something else listens on port") == 1


def test_without_the_environment_of_the_desk_everything_else_runs(tmp_path: Path) -> None:
    with _up(tmp_path / "data", EVALHUB_ARGILLA_PYTHON=str(tmp_path / "nowhere")) as up:
        assert up.answers()
        assert up.find("argilla_embedded") == []
        said = [line for line in up.lines if "make argilla" in line]
        assert len(said) == 1
