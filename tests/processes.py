"""Real processes of ours for the tests marked `kill`: watched, killed, never left behind."""

import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from apps.jobs.processes import PARENT

CHECKOUT = Path(__file__).resolve().parent.parent
START_SECONDS = 120.0  # a second where nothing else runs; a minute on a machine that is busy
END_SECONDS = 40.0


class Running:
    """A command of EvalHub with everything that it starts."""

    def __init__(
        self, *arguments: str, environment: dict[str, str], folder: Path = CHECKOUT
    ) -> None:
        self.lines: list[str] = []
        self._seen: set[psutil.Process] = set()
        self._popen = subprocess.Popen(
            [sys.executable, "-m", "evalhub", *arguments],
            cwd=folder,
            env={**environment, PARENT: str(os.getpid())},  # not even an aborted test leaves it
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.process = psutil.Process(self._popen.pid)
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def output(self) -> str:
        return "\n".join(self.lines)

    def tree(self) -> list[psutil.Process]:
        """Every process below this one, and remembers them."""
        below = self.process.children(recursive=True) if alive(self.process) else []
        self._seen.update(below)
        return below

    def find(self, *words: str) -> list[psutil.Process]:
        """The processes below that were started with all these words, the oldest first."""
        found = [each for each in self.tree() if set(words) <= set(command_of(each))]
        return sorted(found, key=lambda each: (each.create_time(), each.pid))

    def wait_for(self, text: str, seconds: float = START_SECONDS) -> None:
        wait_until(lambda: text in self.output or self._popen.poll() is not None, seconds)
        assert text in self.output, self.output

    def end(self, number: signal.Signals) -> int:
        """Send a signal and wait until it has gone; the exit code."""
        self.tree()
        self._popen.send_signal(number)
        return self._popen.wait(END_SECONDS)

    def left_behind(self, seconds: float = END_SECONDS) -> list[str]:
        """What still lives of all that was ever seen, after a moment."""
        deadline = time.monotonic() + seconds
        while (living := [each for each in self._seen if alive(each)]) and (
            time.monotonic() < deadline
        ):
            time.sleep(0.05)
        return [" ".join(command_of(each)) for each in living]

    def clean_up(self) -> None:
        for each in {*self.tree(), *self._seen}:
            if alive(each):
                each.kill()
        self._popen.kill()
        self._popen.wait()

    def _read(self) -> None:
        assert self._popen.stdout
        for line in self._popen.stdout:
            self.lines.append(line.rstrip())


def begin_and_stay(proof: str) -> None:
    """A task that shows that it has begun and will not end by itself."""
    Path(proof).mkdir()
    signal.pause()


def wait_until(holds: Callable[[], object], seconds: float) -> None:
    """Ask again and again; fails the test when it never holds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not within {seconds} seconds"
        time.sleep(0.05)


def alive(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def kill(process: psutil.Process) -> None:
    """-9, where it still is: who dies takes others along."""
    with suppress(psutil.NoSuchProcess):
        process.kill()


# below those that the kernel gives away, and apart from those of the tests beside: it may take a
# minute until whoever gets the port has it
_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_ports = itertools.count(20_000 + 1_500 * _worker + os.getpid() % 1_000)


def free_port() -> int:
    for port in _ports:
        with socket.socket() as attempt, suppress(OSError):
            attempt.bind(("127.0.0.1", port))
            return port
    raise AssertionError("there is no end to the ports")


def bare_environment(data_dir: Path, **variables: str) -> dict[str, str]:
    """This environment without our settings and without the configuration file of this user."""
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("EVALHUB_")}
    mine = {
        "HOME": str(data_dir.parent),
        "EVALHUB_DATA_DIR": str(data_dir),
        "EVALHUB_ARGILLA_MODE": "off",
    }
    return {**inherited, **mine, **variables}


def command_of(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []
