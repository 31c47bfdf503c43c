"""Quantiles of many cells and the ranks that bound them."""

import math

import numpy as np

from apps.metrics.arrays import Floats, Integers, Matrix, gathered, ratio
from apps.metrics.clusters import effective_size


def quantiles(ascending: Floats, cells: Matrix, q: float) -> Floats:
    """Linear between neighbours, as numpy does it; `cells` is cells × values, indices sorted.

    Next to an infinite neighbour it is infinite.
    """
    position = np.maximum(np.diff(cells.indptr) - 1, 0) * q
    below = _nth(ascending, cells, np.floor(position))
    above = _nth(ascending, cells, np.ceil(position))
    gap = np.subtract(above, below, out=np.zeros_like(below), where=above != below)
    return np.asarray(below + gap * (position % 1), dtype=np.float64)


def bounds(
    ascending: Floats, cells: Matrix, q: float, size: Floats, *, level: float
) -> tuple[Floats, Floats]:
    """The two values whose ranks Binomial(size, q) passes on either side in half of what `level`
    leaves; NaN where the size is too small to have such a rank.

    Where the effective size is below n, its ranks are stretched to n.
    """
    from scipy import stats  # not special: its quantiles take no fractions

    n = np.diff(cells.indptr)
    draws = np.floor(np.nan_to_num(size))
    low = stats.binom.ppf((1 - level) / 2, draws, q)
    high = stats.binom.ppf((1 + level) / 2, draws, q) + 1
    stretch = np.nan_to_num(ratio(n.astype(np.float64), draws))
    low_rank = np.where(low >= 1, np.maximum(np.floor(low * stretch), 1) - 1, -1)
    high_rank = np.where(high <= draws, np.ceil(high * stretch) - 1, -1)
    return _nth(ascending, cells, low_rank), _nth(ascending, cells, high_rank)


def effective_sizes(
    points: Floats, ascending: Floats, cells: Matrix, clusters: Integers, *, level: float
) -> Floats:
    """What the clustered values of each cell are worth at its quantile (Woodruff 1952)."""
    below = cells.copy()
    rows = np.repeat(np.arange(len(points)), np.diff(cells.indptr))
    below.data = (ascending[cells.indices] <= points[rows]).astype(np.float64)
    below.eliminate_zeros()
    return effective_size(gathered(below, clusters), gathered(cells, clusters), level=level)


def needed(tail: float, *, level: float) -> int:
    """How many values it takes until tail ** n is at most half of what `level` leaves."""
    return math.ceil(math.log((1 - level) / 2) / math.log(tail))


def _nth(ascending: Floats, cells: Matrix, rank: Floats) -> Floats:
    """The value of this rank, from 0, in each cell; NaN where the cell has no such rank."""
    has = (rank >= 0) & (rank < np.diff(cells.indptr))
    found = np.full(len(has), np.nan)
    where = cells.indptr[:-1][has] + rank[has].astype(np.int64)
    found[has] = ascending[cells.indices[where]]
    return found
