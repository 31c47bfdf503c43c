"""The console script: runs as somebody at a shell starts, interrupts and proves them."""

import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from apps.accounts.models import Workspace
from tests import samples
from tests.commands import Told, evalhub, evalhub_in
from tests.datasets.documents import document
from tests.processes import START_SECONDS, Running, bare_environment, wait_until

pytestmark = pytest.mark.kill


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A process that was started in the background ignores Ctrl-C, and so do those it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.django_db
def test_an_exported_folder_is_verified_without_any_database(
    workspace: Workspace, tmp_path: Path
) -> None:
    samples.ended_run(workspace)
    evalhub("artifacts", "latest", "--to", str(tmp_path / "out"))

    told = evalhub_in(tmp_path / "data", "verify", str(tmp_path / "out"), "--json")

    assert (told.status, told.err) == (0, "")
    assert told.facts["ok"] is True
    assert not list((tmp_path / "data").glob("*.sqlite3*"))


def test_a_command_that_waits_stops_at_ctrl_c_and_the_run_goes_on(
    tmp_path: Path, interruptible: None
) -> None:
    data = tmp_path / "data"
    file = tmp_path / "qa.json"
    file.write_bytes(document())
    evalhub_in(data, "user", "create", "alice", "--role", "admin")
    imported = evalhub_in(data, "import", str(file), "--json")
    evalhub_in(data, "target", "add", "slow", "--kind", "scripted", "--latency-ms", "30000")

    refused = evalhub_in(data, "run", "nothing", "--target", "slow")
    told = _interrupted(data, "run", "qa", "--target", "slow", "--wait")

    [(run_id, state)] = _states(data)
    assert imported.facts["summary"]["accepted_records"] == 3
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == "CommandError: There is no dataset 'nothing' here. There is: qa.\n"
    assert told.status == 130
    assert f"Not waiting any longer: {run_id} goes on where a worker is up" in told.out
    assert "Traceback" not in told.out
    assert state == "running"


def _interrupted(data: Path, *words: str) -> Told:
    """What a command that waits says to Ctrl-C, once its run is under way."""
    waiting = Running(*words, environment=bare_environment(data))
    try:
        wait_until(lambda: "running" in dict(_states(data)).values(), START_SECONDS)
        status = waiting.end(signal.SIGINT)
        wait_until(lambda: waiting.output, 5)
        return Told(waiting.output, "", status)
    finally:
        waiting.clean_up()


def _states(data: Path) -> list[tuple[str, str]]:
    """Each run with its state, looked up without the seconds that another process takes."""
    with closing(sqlite3.connect(data / "evalhub.sqlite3")) as database:
        return database.execute("SELECT id, state FROM runs_run").fetchall()
