"""Web, workers and labelling desk as children of one process: start, watch, say where, stop."""

import contextlib
import http.client
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

from apps.jobs.processes import Child, environment, own_command

from . import desk
from .config import Config
from .listening import address, reachable

TICK_SECONDS = 0.2
STOP_SECONDS = 8.5


class Family:
    """Children that are kept running until a signal comes."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say_aloud = say
        self._stopping = threading.Event()
        self.children: list[Child] = []

    def run(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        self._listen_to_signals()
        while not self._stopping.is_set():
            for child in self.children:
                child.tend()
            meanwhile()
            self._stopping.wait(TICK_SECONDS)
        self.say("Stopping …")
        for child in self.children:
            child.ask_to_stop()
        deadline = time.monotonic() + STOP_SECONDS
        for child in self.children:
            child.wait(deadline - time.monotonic())

    def say(self, line: str) -> None:
        """Whoever read our words may be gone; the work goes on."""
        with contextlib.suppress(OSError, ValueError):
            self._say_aloud(line)

    def _listen_to_signals(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup means to outlive a terminal
            signal.signal(signal.SIGHUP, self._stop)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopping.set()


class Launcher:
    """The whole product."""

    def __init__(self, config: Config, say: Callable[[str], None]) -> None:
        self._config = config
        self._family = Family(say)
        self._family.children += [
            self._child("web", [sys.executable, "-m", "evalhub.web"]),
            self._child("worker", own_command("worker")),
        ]
        on_line = self._teller("argilla")
        if server := desk.server_of(config, say=self._family.say, on_line=on_line):
            self._family.children.append(server)

    def run(self, people: str) -> None:
        """Until a signal comes; `people` says who can sign in."""
        started = time.monotonic()
        welcomed = False

        def welcome() -> None:
            nonlocal welcomed
            if not welcomed and answers(self._config):
                welcomed = True
                self._welcome(people, time.monotonic() - started)

        self._family.run(meanwhile=welcome)
        self._family.say("EvalHub has stopped.")

    def _welcome(self, people: str, seconds: float) -> None:
        lines = [f"EvalHub is up: {address_of(self._config)}  ({seconds:.1f} s)", people]
        self._family.say("\n".join(["", *filter(None, lines), "Stop it with Ctrl-C.", ""]))

    def _child(self, name: str, command: list[str]) -> Child:
        return Child(
            name,
            command,
            environment=lambda: environment(PYTHONUNBUFFERED="1"),
            say=self._family.say,
            on_line=self._teller(name),
        )

    def _teller(self, name: str) -> Callable[[str], None]:
        return lambda line: self._family.say(f"{name:7} | {line}")


def address_of(config: Config) -> str:
    """Where people reach EvalHub."""
    if config.base_url:
        return str(config.base_url)
    return address(config.host, config.port)


def answers(config: Config) -> bool:
    """Whether the web server is ready."""
    connection = http.client.HTTPConnection(reachable(config.host), config.port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
