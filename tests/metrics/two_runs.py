"""Two runs over shared records, for tests."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from apps.metrics.arrays import Floats
from apps.metrics.compared import Difference
from apps.metrics.comparing import Measure, Pairs, compare


def counted(better: int, worse: int, same: int, *, higher_is_better: bool = True) -> Measure:
    """Pass and fail of so many records, half of the unchanged ones passed."""
    before = np.r_[np.zeros(better), np.ones(worse), np.arange(same) % 2]
    after = np.r_[np.ones(better), np.zeros(worse), np.arange(same) % 2]
    if not higher_is_better:
        before, after = after, before
    return Measure("pass_rate", before, after, binary=True, higher_is_better=higher_is_better)


def pairs_of(n: int, clusters: npt.ArrayLike | None = None) -> Pairs:
    nobody = np.zeros(n, dtype=np.bool_)
    groups = np.arange(n) if clusters is None else np.asarray(clusters, dtype=np.int64)
    return Pairs(nobody, nobody, groups)


def whole(measure: Measure, clusters: npt.ArrayLike | None = None, *, seed: int = 1) -> Difference:
    pairs = pairs_of(len(measure.baseline), clusters)
    return compare(pairs, [measure], {}, seed=seed, sliced=())[0][0]


def by_slice(
    measure: Measure,
    slices: Mapping[str, npt.ArrayLike],
    clusters: npt.ArrayLike | None = None,
) -> list[Difference]:
    pairs = pairs_of(len(measure.baseline), clusters)
    positions = {("part", name): np.asarray(held) for name, held in slices.items()}
    return compare(pairs, [measure], positions, seed=1, sliced=[measure.metric])[1]


def simulated(
    baseline: Floats, candidate: Floats, clusters: Floats | None = None, *, binary: bool = False
) -> list[Difference]:
    """Each row of simulations × records is a comparison; `clusters` number the groups of a row."""
    times, n = baseline.shape
    measure = Measure("m", baseline.ravel(), candidate.ravel(), binary=binary)
    apart = None
    if clusters is not None:
        apart = (clusters + np.arange(times)[:, None] * (clusters.max() + 1)).ravel()
    rows = np.arange(times * n).reshape(times, n)
    return by_slice(measure, {str(i): row for i, row in enumerate(rows)}, apart)
