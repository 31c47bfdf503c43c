"""Pass and fail, paired: McNemar's exact test, and Tango's interval of the difference."""

import numpy as np
from scipy import special

from apps.metrics.arrays import Floats
from apps.metrics.contracts import LEVEL

_HALVINGS = 60
"""Each halves the error: after so many it is below what a float can tell."""


def mcnemar(better: Floats, worse: Floats) -> Floats:
    """The exact two-sided p of each row: is the share of better among those that changed 1/2?

    McNemar 1947, with the binomial distribution in place of the chi-square: a regularised
    incomplete beta function (DLMF 8.17.5). 1 where they differ by one at most.
    """
    tail = special.betainc(np.maximum(better, worse), np.minimum(better, worse) + 1, 0.5)
    return np.where(np.abs(better - worse) <= 1, 1.0, 2 * np.asarray(tail, dtype=np.float64))


def tango(better: Floats, worse: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Bounds of the difference (better - worse) / n, a row each; NaN where n is 0 or NaN.

    The score interval of Tango 1998, "Equivalence test and confidence interval for the difference
    in proportions for the paired-sample design". Counts may be fractions, of an effective size.
    """
    downs, ups = _upper(np.stack([worse, better]), np.stack([better, worse]), n)
    return -downs, ups


def _upper(better: Floats, worse: Floats, n: Floats) -> Floats:
    """The difference above the estimate, whose score is -z: the score falls as it grows."""
    known = np.broadcast_to(n > 0, better.shape)
    b, c, m = (np.where(known, each, 1.0) for each in (better, worse, n))
    low, high = (b - c) / m, np.ones_like(m)
    z = float(special.ndtri((1 + LEVEL) / 2))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        inside = b - c - m * middle > -z * _deviation(b, c, m, middle)
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return np.where(known, high, np.nan)


def _deviation(b: Floats, c: Floats, n: Floats, difference: Floats) -> Floats:
    """The standard deviation of b - c where the difference is given, by constrained likelihood."""
    linear = (2 * n - b + c) * difference - b - c
    constant = -c * difference * (1 - difference)
    root = np.sqrt(np.maximum(linear**2 - 8 * n * constant, 0))
    share = (root - linear) / (4 * n)
    return np.sqrt(np.maximum(n * (2 * share + difference * (1 - difference)), 0))
