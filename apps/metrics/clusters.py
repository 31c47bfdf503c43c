"""How many independent observations clustered ones are worth."""

import numpy as np
from scipy import sparse, special

from apps.metrics.arrays import Booleans, Floats, Matrix, ratio, row_sums


def effective_size(hits: Matrix, tries: Matrix, *, level: float) -> Floats:
    """The sample size that a simple random sample of the same precision would have, per row.

    Shapes: cells × clusters, hits among tries. Linearised variance between clusters, Student's t
    for few clusters (Korn and Graubard 1998), never above the number of tries. Where every try
    hits or none does, each cluster counts once; NaN where all tries share one cluster.
    """
    n = row_sums(tries)
    clusters = np.diff(tries.indptr).astype(np.float64)
    share = ratio(row_sums(hits), n)
    binomial = share * (1 - share)
    size = ratio(binomial, _variance(hits, tries, share, clusters)) * _t_penalty(clusters, level)
    size = np.fmin(size, n)
    size = np.where(binomial == 0, clusters, size)
    size = np.where(_never_repeats(tries), n, size)
    return np.where((clusters < 2) & (n > 1), np.nan, size)


def _variance(hits: Matrix, tries: Matrix, share: Floats, clusters: Floats) -> Floats:
    residuals = sparse.csr_array(hits - sparse.diags_array(np.nan_to_num(share)) @ tries)
    squares = row_sums(residuals.power(2))
    return ratio(squares * clusters, (clusters - 1) * row_sums(tries) ** 2)


def _t_penalty(clusters: Floats, level: float) -> Floats:
    tail = (1 + level) / 2
    t = special.stdtrit(np.maximum(clusters - 1, 1), tail)
    return np.asarray((special.ndtri(tail) / t) ** 2, dtype=np.float64)


def _never_repeats(tries: Matrix) -> Booleans:
    return np.asarray(row_sums(tries) == np.diff(tries.indptr))
