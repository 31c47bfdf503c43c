"""What the system knows of our processes."""

import os
from collections.abc import Iterator

import psutil


def dead_below(pid: int) -> set[int]:
    """The processes below this one that have died and that their parents have not noticed."""
    try:
        below = psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return set()
    return {each.pid for each in below if _is_dead(each)}


def _is_dead(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False  # its parent has noticed just now


def commands_of(group: int) -> Iterator[list[str]]:
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == group:
                yield process.cmdline()
        except (psutil.Error, OSError):
            continue  # it has ended meanwhile
