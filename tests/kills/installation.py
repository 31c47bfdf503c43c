"""An installation of its own: a data directory, a database, and the commands that use them."""

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg

from tests.processes import CHECKOUT, Running, bare_environment, command_of, wait_until

TERMINAL = ("completed", "completed_with_failures", "failed", "cancelled")


class Workers(Running):
    """`evalhub worker` with all that it starts."""

    def __init__(self, environment: dict[str, str]) -> None:
        super().__init__("worker", "--patience", "10", environment=environment)

    def cluster(self, queue: str = "evalhub") -> list[Any]:
        """Main process, sentinel, workers, monitor, pusher: in the order they were started."""
        started = ["-m", "evalhub", "cluster", queue]
        return [each for each in self.find("cluster") if command_of(each)[1:5] == started]

    def workers(self) -> list[Any]:
        return self.cluster()[2:-2]

    def wait_until_whole(self, workers: int, seconds: float) -> None:
        """The workers of runs, and the one of what takes long."""
        wait_until(lambda: len(self.cluster()) >= workers + 4, seconds)
        wait_until(lambda: len(self.cluster("long")) >= 5, seconds)


class Installation:
    inside = "tests.kills.inside"
    """The module with what `call` runs."""

    def __init__(self, folder: Path, *, workers: int = 3, **variables: str) -> None:
        self.count = workers
        self.data = folder / "data"
        self.url = variables.get("EVALHUB_DATABASE_URL", "")
        self.environment = bare_environment(
            self.data, EVALHUB_WORKERS=str(workers), EVALHUB_LOG_LEVEL="WARNING", **variables
        )
        folder.mkdir(parents=True, exist_ok=True)

    def copy(self, template: Path) -> None:
        """Begin with the data directory of another one."""
        shutil.copytree(template, self.data)

    def call(self, function: str, **arguments: Any) -> Any:
        """What a function of the module inside returns."""
        code = (
            f"import json; from {self.inside} import {function};"
            f"print('=>' + json.dumps({function}(**{arguments!r})))"
        )
        finished = subprocess.run(
            [sys.executable, "-m", "evalhub", "shell", "-v", "0", "-c", code],
            cwd=CHECKOUT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert finished.returncode == 0, finished.stderr
        return json.loads(finished.stdout.rpartition("=>")[2])

    def workers(self) -> Workers:
        running = Workers(self.environment)
        running.wait_until_whole(self.count, 90)
        return running

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        """Rows, as the database has them now."""
        if self.url:
            with psycopg.connect(self.url, autocommit=True) as server:
                return server.execute(sql.encode()).fetchall()
        file = f"file:{self.data / 'evalhub.sqlite3'}?mode=ro"
        with closing(sqlite3.connect(file, uri=True, timeout=20)) as connection:
            return connection.execute(sql).fetchall()

    def one(self, sql: str) -> Any:
        return self.ask(sql)[0][0]

    def file(self, digest: str) -> bytes:
        """A stored file, which must be what its name says."""
        raw = (self.data / "files" / digest[:2] / digest[2:4] / digest).read_bytes()
        assert sha256(raw).hexdigest() == digest
        return raw

    def results(self) -> int:
        return int(self.one("SELECT COUNT(*) FROM runs_result"))

    def state(self, run: str) -> str:
        return str(self.one(f"SELECT state FROM runs_run WHERE id = '{run}'"))

    def wait_for_results(self, n: int, seconds: float = 120) -> None:
        wait_until(lambda: self.results() >= n, seconds)

    def wait_for_end(self, run: str, seconds: float = 180) -> str:
        wait_until(lambda: self.state(run) in TERMINAL, seconds)
        return self.state(run)
