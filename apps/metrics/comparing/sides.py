"""What each run has by itself, over the compared records."""

import math

import numpy as np
from scipy import sparse, special

from apps.metrics import bootstrap, intervals
from apps.metrics.arrays import Floats, Integers, Matrix
from apps.metrics.clusters import effective_size
from apps.metrics.contracts import LEVEL, Interval

from .groups import Groups

NOTHING = "no shared record has a value in both runs"
MANY = 500
"""Groups, beyond which the bootstrap of a mean is its normal limit."""


def rates(groups: Groups) -> list[Interval]:
    """Wilson's interval of each cell; groups of several records count by their effective size."""
    alone = intervals.rates(groups.total, groups.n, nothing=NOTHING)
    if not groups.repeats.any():
        return alone
    hits, tries = _matrix(groups, groups.sums), _matrix(groups, groups.counts)
    size = effective_size(hits, tries, level=LEVEL)
    together = intervals.rates(groups.total, groups.n, effective=size, nothing=NOTHING)
    return [
        grouped if repeats else plain
        for plain, grouped, repeats in zip(alone, together, groups.repeats, strict=True)
    ]


def means(groups: Groups, *, unit: float, seed: int) -> list[Interval]:
    """The mean of each cell: percentile bootstrap of the groups, its normal limit for many."""
    half = float(special.ndtri((1 + LEVEL) / 2)) * np.sqrt(groups.variance)
    low, high = groups.means - half, groups.means + half
    few = np.flatnonzero(groups.size <= MANY)
    if len(few):
        low[few], high[few] = _bootstrapped(groups, few, seed)
    bounds = np.stack([groups.means, low, high], axis=1) * unit
    cells = zip(groups.n, groups.size, bounds.tolist(), strict=True)
    return [_mean(int(n), int(size), *known) for n, size, known in cells]


def known(value: float) -> float | None:
    """A number for a contract: NaN lives only inside arrays."""
    return float(value) if math.isfinite(value) else None


def _mean(n: int, size: int, point: float, low: float, high: float) -> Interval:
    return Interval(
        point=known(point),
        low=known(low),
        high=known(high),
        n=n,
        method=_method(n, size),
        reason=_reason(n, size),
    )


def _method(n: int, size: int) -> str:
    name = "bootstrap" if size <= MANY else "normal limit of the bootstrap"
    return name if n == size else f"{name}, clustered"


def _reason(n: int, size: int) -> str:
    if n == 0:
        return NOTHING
    if n == 1:
        return "one value has no interval"
    return f"all {n:,} values come from one group: no interval" if size < 2 else ""


def _bootstrapped(groups: Groups, cells: Integers, seed: int) -> tuple[Floats, Floats]:
    every = np.full(len(groups.cell), True)
    sums, counts = (sparse.csr_array(each) for each in groups.padded(cells, every, MANY))
    return bootstrap.bounds(sums, counts, level=LEVEL, seed=seed)


def _matrix(groups: Groups, values: Floats) -> Matrix:
    """Cells × groups, with an entry for every group, 0 as well."""
    starts = np.searchsorted(groups.cell, np.arange(groups.cells + 1))
    columns = np.arange(len(values))
    return sparse.csr_array((values, columns, starts), shape=(groups.cells, len(values)))
