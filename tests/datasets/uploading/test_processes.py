"""Uploads by real processes on one database file: at the same moment, and killed in the middle."""

import json
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.datasets.documents import document, record
from tests.processes import (
    CHECKOUT,
    START_SECONDS,
    Running,
    bare_environment,
    free_port,
    wait_until,
)

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("kill")]

RECORDS = 20_000


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    mine = bare_environment(tmp_path / "data")
    run(mine, "user", "create", "alice", "--role", "admin", "--workspace", "demo")
    return mine


@pytest.fixture
def big_file(tmp_path: Path) -> Path:
    path = tmp_path / "big.json"
    prompt = {"prompt": "What is overfitting? " * 60}
    path.write_bytes(document(*[record(number, input=prompt) for number in range(RECORDS)]))
    return path


def run(environment: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "evalhub", *words],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(environment: dict[str, str], sql: str) -> list[Any]:
    path = Path(environment["EVALHUB_DATA_DIR"]) / "evalhub.sqlite3"
    with closing(sqlite3.connect(path, timeout=20, isolation_level=None)) as connection:
        return list(connection.execute(sql))


@pytest.fixture
def importing(environment: dict[str, str], big_file: Path) -> Iterator[Running]:
    running = Running("import", str(big_file), environment=environment)
    yield running
    running.clean_up()


def test_the_same_file_imported_twice_at_once_is_one_version(
    environment: dict[str, str], big_file: Path
) -> None:
    command = [sys.executable, "-m", "evalhub", "import", str(big_file), "--json"]
    both = [
        subprocess.Popen(command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE)
        for _ in range(2)
    ]

    answers = [json.loads(each.communicate(timeout=120)[0]) for each in both]

    assert {answer["http_status"] for answer in answers} == {201}
    assert len({answer["dataset_version_id"] for answer in answers}) == 1
    assert sorted(answer["created"] for answer in answers) == [False, True]
    assert rows(environment, "SELECT count(*) FROM datasets_record") == [(RECORDS,)]


def test_what_a_killed_process_began_another_finishes_once(
    environment: dict[str, str], importing: Running
) -> None:
    running = "SELECT count(*) FROM datasets_upload WHERE state = 'running'"
    wait_until(lambda: rows(environment, running) == [(1,)], START_SECONDS)
    importing.end(signal.SIGKILL)
    assert rows(environment, "SELECT count(*) FROM datasets_datasetversion") == [(0,)]
    past = "'2020-01-01 00:00:00'"
    rows(environment, f"UPDATE datasets_upload SET lease_until = {past}, not_before = {past}")

    run(
        environment,
        "shell",
        "-v0",
        "-c",
        "from apps.datasets.models import Upload; from apps.jobs.services import work_here;"
        "work_here(lambda: Upload.objects.filter(state='done').exists())",
    )

    assert rows(environment, "SELECT state, deliveries FROM datasets_upload") == [("done", 2)]
    assert rows(environment, "SELECT accepted FROM datasets_datasetversion") == [(RECORDS,)]
    assert rows(environment, "SELECT count(*) FROM datasets_record") == [(RECORDS,)]


def test_a_web_server_killed_during_an_upload_leaves_nothing_behind(
    environment: dict[str, str], big_file: Path
) -> None:
    token = run(environment, "token", "create", "--user", "alice").strip()
    port = free_port()
    web = Running("web", "--port", str(port), environment=environment)
    try:
        wait_until(lambda: _answers(port), START_SECONDS)
        with socket.create_connection(("127.0.0.1", port)) as sending:
            sending.sendall(_half_of_a_request(big_file.read_bytes(), token))
            wait_until(lambda: _arriving(environment) > 1_000_000, 30)
            web.end(signal.SIGKILL)
        assert web.left_behind(10) == []
    finally:
        web.clean_up()

    assert rows(environment, "SELECT count(*) FROM datasets_upload") == [(0,)]
    assert rows(environment, "SELECT count(*) FROM artifacts_blob") == [(0,)]
    facts = json.loads(run(environment, "import", str(big_file), "--json"))
    assert facts["summary"]["accepted_records"] == RECORDS


def _answers(port: int) -> bool:
    with socket.socket() as attempt:
        return attempt.connect_ex(("127.0.0.1", port)) == 0


def _half_of_a_request(content: bytes, token: str) -> bytes:
    head = (
        "POST /api/v1/datasets HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {token}\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content[: len(content) // 2]


def _arriving(environment: dict[str, str]) -> int:
    """Bytes under names that nobody looks at."""
    workshop = Path(environment["EVALHUB_DATA_DIR"]) / "files" / "tmp"
    return sum(file.stat().st_size for file in workshop.glob("*"))
