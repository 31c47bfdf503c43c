"""How fast somebody labels, from the moments of their answers. Pure."""

from collections.abc import Iterable
from datetime import datetime, timedelta

BREAK = timedelta(minutes=15)
"""Somebody who says nothing for longer was away."""

FEWEST = 5


def seconds_per_answer(moments: Iterable[datetime]) -> float | None:
    """In the last stretch of work; None where it has fewer than 5 answers, or no length.

    n answers have n - 1 pauses between them.
    """
    stretch: list[datetime] = []
    for moment in sorted(moments, reverse=True):
        if stretch and stretch[-1] - moment > BREAK:
            break
        stretch.append(moment)
    if len(stretch) < FEWEST or stretch[0] == stretch[-1]:
        return None
    return (stretch[0] - stretch[-1]).total_seconds() / (len(stretch) - 1)
