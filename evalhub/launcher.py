"""Web and workers as children of one process: start, watch, say where, stop."""

import contextlib
import http.client
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

from apps.jobs.processes import Child, environment, own_command

from .config import Config

TICK_SECONDS = 0.2
STOP_SECONDS = 8.5
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - recognised, not bound


class Launcher:
    def __init__(self, config: Config, say: Callable[[str], None]) -> None:
        self._config = config
        self._say_aloud = say
        self._stopping = threading.Event()
        self._children = [
            self._child("web", [sys.executable, "-m", "evalhub.web"]),
            self._child("worker", own_command("worker")),
        ]

    def run(self, people: str) -> None:
        """Until a signal comes; `people` says who can sign in."""
        self._listen_to_signals()
        started = time.monotonic()
        welcomed = False
        while not self._stopping.is_set():
            for child in self._children:
                child.tend()
            if not welcomed and answers(self._config):
                welcomed = True
                self._welcome(people, time.monotonic() - started)
            self._stopping.wait(TICK_SECONDS)
        self._end()

    def _listen_to_signals(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup means to outlive a terminal
            signal.signal(signal.SIGHUP, self._stop)

    def _welcome(self, people: str, seconds: float) -> None:
        lines = [f"EvalHub is up: {address_of(self._config)}  ({seconds:.1f} s)", people]
        self._say("\n".join(["", *filter(None, lines), "Stop it with Ctrl-C.", ""]))

    def _end(self) -> None:
        self._say("Stopping …")
        for child in self._children:
            child.ask_to_stop()
        deadline = time.monotonic() + STOP_SECONDS
        for child in self._children:
            child.wait(deadline - time.monotonic())
        self._say("EvalHub has stopped.")

    def _child(self, name: str, command: list[str]) -> Child:
        return Child(
            name,
            command,
            environment=lambda: environment(PYTHONUNBUFFERED="1"),
            say=self._say,
            on_line=lambda line: self._say(f"{name:6} | {line}"),
        )

    def _say(self, line: str) -> None:
        """Whoever read our words may be gone; the work goes on."""
        with contextlib.suppress(OSError, ValueError):
            self._say_aloud(line)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopping.set()


def address_of(config: Config) -> str:
    """Where people reach EvalHub."""
    if config.base_url:
        return str(config.base_url)
    host = EVERYWHERE.get(config.host, config.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{config.port}/"


def is_free(host: str, port: int) -> bool:
    """Whether nobody listens there; granian would share the port without a word."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as attempt:
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind((host, port))
        except OSError:
            return False
    return True


def answers(config: Config) -> bool:
    """Whether the web server is ready."""
    host = EVERYWHERE.get(config.host, config.host)
    connection = http.client.HTTPConnection(host, config.port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
