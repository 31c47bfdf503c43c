"""How many records would settle what an interval leaves open.

Bounds come nearer to the point with the square root of n. Those of Wilson do not; the bound of a
rate p is at b where n = z² b (1 - b) / (p - b)², the score test solved for n.
"""

import math

from apps.metrics.contracts import Interval

from .words import about

STAYS = "if the estimate stays as it is"
_MOST = 1e9
"""More records than these are no advice."""


def records_until(interval: Interval, bound: float) -> float | None:
    """At how many records the interval would leave `bound`, around the same point.

    None where no number is enough, or where the interval lacks what says so.
    """
    point = interval.point
    if point is None or math.isclose(point, bound, rel_tol=1e-9, abs_tol=1e-12):
        return None
    near = interval.low if bound < point else interval.high
    if near is None:
        return None
    n = interval.n * ((point - near) / (point - bound)) ** 2
    if interval.method.startswith("wilson") and 0 < near < 1:
        n *= bound * (1 - bound) / (near * (1 - near))
    return n if n <= _MOST else None


def would_settle(n: float, have: int, noun: str, *, when: str) -> str:
    return f"About {about(max(n, have + 1))} {noun} would settle it, {when}; here are {have:,}."
