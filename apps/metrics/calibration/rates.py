"""Shares of weighted units, and how many equally weighted ones they are worth."""

import numpy as np

from apps.metrics import intervals
from apps.metrics.arrays import Booleans, Floats
from apps.metrics.contracts import Interval

METHOD = "wilson, weighted"


def rate(hits: Booleans, weights: Floats, *, nothing: str) -> Interval:
    """Wilson's interval of a share; with unequal weights of its effective size."""
    n = len(hits)
    if not n or np.ptp(weights) <= 1e-9 * weights.max():
        return intervals.rates([int(hits.sum())], [n], nothing=nothing)[0]
    share = np.array([np.average(hits, weights=weights)])
    size = np.array([effective_size(hits, weights)])
    low, high = intervals.wilson(share, size)
    return Interval(
        point=float(share[0]), low=float(low[0]), high=float(high[0]), n=n, method=METHOD
    )


def effective_size(hits: Booleans, weights: Floats) -> float:
    """By the linearised variance of the share, at most as many as there are, which errs on the
    safe side; Kish's (Σw)² / Σw² where all hit or none does."""
    total = weights.sum()
    share = float(np.average(hits, weights=weights))
    variance = float((weights**2 * (hits - share) ** 2).sum() / total**2)
    if variance == 0:
        return float(total**2 / (weights**2).sum())
    return min(len(hits), share * (1 - share) / variance)
