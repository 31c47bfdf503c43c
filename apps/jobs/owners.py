"""Who holds a lease: its token tells, so that an owner who died on this machine is noticed."""

import hashlib
import os
import uuid
from functools import cache
from pathlib import Path

import psutil

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_PROCESSES = Path("/proc/self/ns/pid")
_WIDTH = 8


def new_token() -> str:
    """32 hexadecimal digits: this machine, this process, and what no other token has."""
    return f"{_here()}{os.getpid():0{_WIDTH}x}{uuid.uuid4().hex[: 2 * _WIDTH]}"


def has_died(token: str) -> bool:
    """Whether a process of this machine held it that is no more; False where nobody can tell."""
    if not token.startswith(_here()):
        return False
    try:
        owner = int(token[_WIDTH : 2 * _WIDTH], 16)
        os.kill(owner, 0)  # tells one that is not ours from none, where psutil sees neither
        return bool(psutil.Process(owner).status() == psutil.STATUS_ZOMBIE)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError, ValueError, psutil.Error):
        return False


@cache
def _here() -> str:
    """Numbers of processes mean something until the next start, and in one container only."""
    try:
        place = f"{_BOOT.read_text()} {_PROCESSES.stat().st_ino}"
    except OSError:
        place = uuid.uuid4().hex
    return hashlib.sha256(place.encode()).hexdigest()[:_WIDTH]
