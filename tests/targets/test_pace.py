"""The pace of a target holds for all workers together, on either database."""

import os
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.db import connection

from apps.accounts.models import Workspace
from apps.targets import services
from apps.targets.models import RateLimit, Target
from tests.processes import START_SECONDS

from .asking import spec

CHECKOUT = Path(__file__).resolve().parents[2]
SPAN = timedelta(milliseconds=50)  # 5 calls at 6,000 a minute
ROUNDED = timedelta(milliseconds=1)  # the clock of the database has as many digits as it likes


@pytest.fixture
def target(workspace: Workspace) -> Target:
    return services.create_target(workspace=workspace, name="t", spec=spec("scripted"), by=None)


def test_grants_follow_each_other_without_a_gap(target: Target) -> None:
    first = granted_at_once(target, calls=10, per_minute=600)
    others = [services.grant(target.pk, calls=10, per_minute=600) for _ in range(4)]

    gaps = [later - earlier for earlier, later in pairwise([first, *others])]
    assert gaps == [timedelta(seconds=1)] * 4


def test_a_target_that_rested_starts_at_once_and_saves_nothing_up(target: Target) -> None:
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    RateLimit.objects.filter(target=target).update(next_free_at=long_ago)

    start = granted_at_once(target, calls=60, per_minute=60)
    second = services.grant(target.pk, calls=1, per_minute=60)

    assert second - start == timedelta(minutes=1)


def test_a_target_without_a_row_gets_one(target: Target) -> None:
    RateLimit.objects.all().delete()

    granted_at_once(target, calls=1, per_minute=60)

    assert RateLimit.objects.filter(target=target).count() == 1


def test_one_target_does_not_slow_another(workspace: Workspace, target: Target) -> None:
    other = services.create_target(workspace=workspace, name="u", spec=spec("scripted"), by=None)
    services.grant(target.pk, calls=600, per_minute=60)

    granted_at_once(other, calls=1, per_minute=60)


@pytest.mark.django_db(transaction=True)
def test_workers_in_several_processes_are_never_given_the_same_moment(tmp_path: Path) -> None:
    workspace = Workspace.objects.create(slug="demo", name="Demo")
    target = services.create_target(workspace=workspace, name="t", spec=spec("scripted"), by=None)
    environ = shared_database(tmp_path)
    command = [sys.executable, "-m", "tests.targets.granting", target.pk, "40"]

    workers = [
        subprocess.Popen(command, cwd=CHECKOUT, env=environ, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    outputs = [worker.communicate(timeout=START_SECONDS)[0] for worker in workers]

    starts = sorted(float(line) for output in outputs for line in output.split())
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    assert len(starts) == 3 * 40
    assert min(gaps) >= SPAN.total_seconds() - 1e-4


def granted_at_once(target: Target, calls: int, per_minute: int) -> datetime:
    """The start that was granted: a moment between the question and the answer."""
    asked = datetime.now(UTC)
    start = services.grant(target.pk, calls=calls, per_minute=per_minute)
    answered = datetime.now(UTC)
    assert asked - ROUNDED <= start <= answered + ROUNDED
    return start


def shared_database(folder: Path) -> dict[str, str]:
    """The environment in which other processes find the database of this test."""
    environ = {**os.environ, "EVALHUB_DATA_DIR": str(folder)}
    environ["DJANGO_SETTINGS_MODULE"] = "evalhub.settings"
    if connection.vendor == "postgresql":
        url = urlsplit(environ["EVALHUB_DATABASE_URL"])
        name = connection.settings_dict["NAME"]
        environ["EVALHUB_DATABASE_URL"] = url._replace(path=f"/{name}").geturl()
        return environ
    connection.ensure_connection()
    with sqlite3.connect(folder / "evalhub.sqlite3") as copy:
        connection.connection.backup(copy)
    copy.close()
    return environ
