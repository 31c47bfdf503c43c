"""How the calls of a run are divided among the workers and their chunks. Pure."""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from apps.runs.contracts import MOST_CONNECTIONS

FREE = 1_000
"""More chunks at once than anybody has workers: nobody is asked, so nobody can be overrun."""


class Room(NamedTuple):
    """Calls at once in all, and in one chunk; 0 in a chunk that asks nobody."""

    concurrency: int
    slots: int


def room(target: int | None, judges: Sequence[int], workers: int) -> Room:
    """By the calls at once that target and judges take; None: the target is not asked.

    Each chunk has a share of its own of every judge, so there are at most as many chunks at once
    as the narrowest judge takes calls.
    """
    if target is None and not judges:
        return Room(FREE, 0)
    asked = min(judges) if target is None else target
    at_once = min([workers, *judges])
    slots = min(MOST_CONNECTIONS, ceil(asked / at_once))
    return Room(min([asked, *(slots * judge for judge in judges)]), slots)
