"""Parts of the server as processes that never outlive the one that started them."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Sequence

PARENT = "EVALHUB_PARENT"  # as in apps.jobs.processes, whose Child starts us
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None
_forking = 0


def tie_to_parent() -> None:
    """Die with the process that asked for it when it started this one, even on kill -9."""
    parent = os.environ.pop(PARENT, "")
    if parent.isdecimal():
        _die_with(int(parent))


def tie_forks() -> None:
    """The same for every process that this one forks from now on."""
    os.register_at_fork(before=_remember, after_in_child=lambda: _die_with(_forking))


def start(command: Sequence[str], **more: str) -> "subprocess.Popen[bytes]":
    """A part that dies with this process."""
    _remember()
    return subprocess.Popen(
        command, env={**os.environ, **more}, preexec_fn=lambda: _die_with(_forking)
    )


def end(part: "subprocess.Popen[bytes]", seconds: float) -> None:
    """Ask it to stop, and kill it where it is still there after some seconds."""
    part.terminate()
    try:
        part.wait(seconds)
    except subprocess.TimeoutExpired:
        kill(part)


def kill(part: "subprocess.Popen[bytes]") -> None:
    part.kill()
    part.wait()


def _remember() -> None:
    global _forking
    _forking = os.getpid()


def _die_with(parent: int) -> None:
    if _libc:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the line above
        os._exit(1)
