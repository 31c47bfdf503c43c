"""Installations of their own on SQLite and, where a server answers, on PostgreSQL."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.model_server.handle import ModelServer, model_server, shared_model_server
from tests.postgres import own_database

from .installation import Installation, Workers

__all__ = ["model_server", "shared_model_server"]

LEASE = "8"
LONG_LEASE = "30"
"""Where nobody may be asked twice: a machine may stand still for some seconds."""

Install = Callable[..., tuple[Installation, str]]
Work = Callable[[Installation], Workers]


@pytest.fixture
def postgres() -> Iterator[str]:
    """The address of a database of the test's own."""
    with own_database() as address:
        yield address


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
