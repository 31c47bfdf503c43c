"""Every command brings its database up to date by itself."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evalhub.migrating import missing
from tests.processes import CHECKOUT, START_SECONDS

from .conftest import Evalhub


def _tables(data_dir: Path) -> set[str]:
    with sqlite3.connect(data_dir / "evalhub.sqlite3") as database:
        return {name for (name,) in database.execute("SELECT name FROM sqlite_master")}


def test_a_command_that_needs_the_database_makes_it(evalhub: Evalhub, tmp_path: Path) -> None:
    finished = evalhub("shell", "-v", "0", "-c", "print('ready')")

    assert finished.returncode == 0
    assert finished.stdout == "ready\n"
    assert "jobs_heartbeat" in _tables(tmp_path / "data")


@pytest.mark.parametrize("command", [["config"], ["check"], ["up", "--help"], ["help"]])
def test_a_command_that_does_without_leaves_no_database(
    evalhub: Evalhub, tmp_path: Path, command: list[str]
) -> None:
    finished = evalhub(*command)

    assert finished.returncode == 0, finished.stderr
    assert not (tmp_path / "data" / "evalhub.sqlite3").exists()


def test_several_first_commands_at_once_all_find_it_ready(environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "evalhub", "shell", "-v", "0", "-c", "print('ready')"]

    processes = [
        subprocess.Popen(command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]

    assert [each.communicate(timeout=2 * START_SECONDS)[0] for each in processes] == ["ready\n"] * 3


@pytest.mark.django_db
def test_an_up_to_date_database_costs_two_queries() -> None:
    with CaptureQueriesContext(connection) as queries:
        found = missing()

    assert found == set()
    assert len(queries) <= 2


def test_a_database_that_does_not_answer_is_one_sentence(evalhub: Evalhub) -> None:
    finished = evalhub(
        "shell", "-c", "pass", EVALHUB_DATABASE_URL="postgres://nobody@127.0.0.1:1/nothing"
    )

    assert finished.returncode == 1
    assert finished.stderr.startswith("evalhub: the database cannot be used: ")
    assert len(finished.stderr.splitlines()) == 1
