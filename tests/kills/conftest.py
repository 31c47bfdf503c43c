"""Installations of their own on SQLite and, where a server answers, on PostgreSQL."""

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.model_server.handle import ModelServer, model_server, shared_model_server

from .installation import Installation, Workers

__all__ = ["model_server", "shared_model_server"]

LOCAL = "postgres://postgres@127.0.0.1:5432/postgres"
LEASE = "3"
LONG_LEASE = "30"
"""Where nobody dies: a machine that stands still for some seconds is no reason to ask twice."""

Install = Callable[..., tuple[Installation, str]]
Work = Callable[[Installation], Workers]


def _server() -> str:
    """Where databases can be made: the suite's own PostgreSQL, or one on this machine."""
    configured = os.environ.get("EVALHUB_DATABASE_URL", "")
    url = f"{configured.rpartition('/')[0]}/postgres" if configured else LOCAL
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.Error:
        return ""
    return url


@pytest.fixture
def postgres() -> Iterator[str]:
    """The address of a database of the test's own; skipped where there is no server."""
    server, name = _server(), f"evalhub_kill_{uuid.uuid4().hex}"
    if not server:
        pytest.skip("no PostgreSQL: set EVALHUB_DATABASE_URL, or start one on 127.0.0.1:5432")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        yield f"{server.rpartition('/')[0]}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory whose database has every table: migrating takes its time."""
    installation = Installation(tmp_path_factory.mktemp("template"))
    installation.call("nothing")
    return installation.data


@pytest.fixture
def install(tmp_path: Path, template: Path, model_server: ModelServer) -> Install:
    """A data directory with a run on the model server that waits for workers, and its id."""

    def make(
        records: int,
        *,
        concurrency: int,
        database: str = "",
        workers: int = 3,
        kind: str = "set_up",
        lease: str = LEASE,
    ) -> tuple[Installation, str]:
        more = {"EVALHUB_DATABASE_URL": database} if database else {}
        installation = Installation(
            tmp_path / "one", workers=workers, EVALHUB_LEASE_SECONDS=lease, **more
        )
        if not database:
            installation.copy(template)
        run = installation.call(
            kind, records=records, base_url=model_server.base_url, concurrency=concurrency
        )
        return installation, run

    return make


@pytest.fixture
def work() -> Iterator[Work]:
    """Start `evalhub worker`; whatever it started is gone when the test is."""
    started: list[Workers] = []

    def begin(installation: Installation) -> Workers:
        started.append(installation.workers())
        return started[-1]

    yield begin
    for running in started:
        running.clean_up()
