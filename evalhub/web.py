"""Becoming the web server: `python -m evalhub.web` needs no Django, granian's worker loads it."""

import os
import sys
from pathlib import Path

from apps.jobs.processes import PARENT, tie_to_parent

from .config import load

# One process with threads: pages are short and uploads are read while they arrive, so many open
# connections may share eight threads.
OPTIONS = [
    "--interface=wsgi",
    "--http=1",
    "--no-ws",
    "--workers=1",
    "--blocking-threads=8",
    "--backpressure=512",
    "--workers-kill-timeout=5",
    "--log-level=warning",
]


def serve() -> None:
    """Replace this process by granian; its worker dies with it."""
    config = load()
    granian = str(Path(sys.executable).with_name("granian"))
    address = [f"--host={config.host}", f"--port={config.port}"]
    os.environ[PARENT] = str(os.getpid())
    os.execv(granian, [granian, *OPTIONS, *address, "evalhub.wsgi:application"])


if __name__ == "__main__":
    tie_to_parent()
    serve()
