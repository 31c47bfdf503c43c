"""The bootstrap of thousands of means at once."""

import numpy as np
import numpy.typing as npt
from scipy import sparse, special

from apps.metrics.arrays import Floats, Matrix, ratio, row_sums

REPLICATES = 1000
_CHUNK = 2048
_WEIGHT = np.searchsorted(special.pdtr(np.arange(12), 1), (np.arange(2**16) + 0.5) / 2**16).astype(
    np.float32
)
"""A Poisson(1) weight for each 16-bit number: a look-up is ten times faster than drawing one."""


def bounds(sums: Matrix, counts: Matrix, *, level: float, seed: int) -> tuple[Floats, Floats]:
    """Percentile bounds of the means sums / counts, one per row, when clusters are drawn again.

    Shapes: cells × clusters, a mean per row; NaN where a row has fewer than two clusters. Each
    cluster gets a Poisson(1) weight per replicate (Chamandy 2012, "Estimating uncertainty for
    massive data streams"), so one matrix product serves all cells and memory stays bounded.
    """
    means = ratio(row_sums(sums), row_sums(counts))
    replicates = means[:, None] + _deviations(_residuals(sums, counts, means), counts, seed)
    low, high = _percentiles(replicates, level)
    alone = np.diff(counts.indptr) < 2
    return np.where(alone, np.nan, low), np.where(alone, np.nan, high)


def _residuals(sums: Matrix, counts: Matrix, means: Floats) -> Matrix:
    # Around the mean, because single precision keeps seven digits of a sum.
    shift = sparse.diags_array(np.nan_to_num(means)) @ counts
    return sparse.csr_array(sums - shift)


def _deviations(residuals: Matrix, counts: Matrix, seed: int) -> Floats:
    stacked = sparse.csc_array(sparse.vstack([residuals, counts]).astype(np.float32))
    rng = np.random.default_rng(seed)
    totals = np.zeros((stacked.shape[0], REPLICATES))
    for start in range(0, stacked.shape[1], _CHUNK):
        block = stacked[:, start : start + _CHUNK]
        totals += block @ _weights(rng, block.shape[1])
    deviations, drawn = np.split(totals, 2)
    return ratio(deviations, drawn)


def _weights(rng: np.random.Generator, clusters: int) -> npt.NDArray[np.float32]:
    noise = np.frombuffer(rng.bytes(2 * clusters * REPLICATES), dtype="<u2")
    return np.take(_WEIGHT, noise).reshape(clusters, REPLICATES)


def _percentiles(replicates: Floats, level: float) -> tuple[Floats, Floats]:
    """Over the replicates that drew anything: a small cell may come out empty."""
    tails = [50 * (1 - level), 50 * (1 + level)]
    whole = ~np.isnan(replicates).any(axis=1)
    found = np.full((2, len(replicates)), np.nan)
    found[:, whole] = np.percentile(replicates[whole], tails, axis=1)
    for row in np.flatnonzero(~whole):
        drawn = replicates[row][~np.isnan(replicates[row])]
        if drawn.size:
            found[:, row] = np.percentile(drawn, tails)
    return found[0], found[1]
