"""Comparisons by real processes on one database file: at the same moment, and killed in between."""

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.processes import CHECKOUT, bare_environment, wait_until

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("kill")]

RECORDS = 2_000
BUILD = f"""
import django
django.setup()
from apps.accounts.models import Workspace
from tests.runs import building
workspace = Workspace.objects.get()
version = building.make_version(workspace, {RECORDS})
for outcomes in (building.MIX, building.MIX[::-1]):
    print(building.ended_run(workspace, outcomes, version=version).pk)
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    mine = {**bare_environment(tmp_path / "data"), "EVALHUB_LEASE_SECONDS": "2"}
    _run(mine, "-m", "evalhub", "user", "create", "alice", "--role", "admin", "--workspace", "demo")
    return {**mine, "DJANGO_SETTINGS_MODULE": "evalhub.settings"}


@pytest.fixture
def runs(environment: dict[str, str]) -> list[str]:
    return _run(environment, "-c", BUILD).split()


def test_four_who_compare_at_once_make_one_comparison(
    environment: dict[str, str], runs: list[str]
) -> None:
    patient = {**environment, "EVALHUB_LEASE_SECONDS": "10"}  # a busy machine is slow, not dead
    asking = [_comparing(patient, runs) for _ in range(4)]

    answers = [json.loads(each.communicate(timeout=120)[0]) for each in asking]

    assert [each.returncode for each in asking] == [0] * 4
    assert len({each["comparisons"][0]["comparison_id"] for each in answers}) == 1
    assert _rows(environment) == [("done", 1)]


def test_whoever_is_killed_at_it_leaves_it_to_the_next_at_once(
    environment: dict[str, str], runs: list[str]
) -> None:
    patient = {**environment, "EVALHUB_LEASE_SECONDS": "60"}  # longer than anybody waits
    killed = _comparing(patient, runs)
    wait_until(lambda: _rows(environment) == [("running", 1)], 120)
    killed.send_signal(signal.SIGKILL)
    killed.wait(10)
    left = _rows(environment)

    told = json.loads(_comparing(patient, runs).communicate(timeout=120)[0])

    assert left == [("running", 1)]
    assert told["comparisons"][0]["body"]["shared"]["shared"] == RECORDS
    assert _rows(environment) == [("done", 2)]


def _comparing(environment: dict[str, str], runs: list[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "evalhub", "compare", *runs, "--json"],
        cwd=CHECKOUT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )


def _run(environment: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _rows(environment: dict[str, str]) -> list[Any]:
    """State and deliveries of every comparison."""
    path = Path(environment["EVALHUB_DATA_DIR"]) / "evalhub.sqlite3"
    with closing(sqlite3.connect(path, timeout=20, isolation_level=None)) as connection:
        return list(connection.execute("SELECT state, deliveries FROM analysis_comparison"))
