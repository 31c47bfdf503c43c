"""Cells: the whole run, or its slices, over the records of its results."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt
from scipy import sparse

from apps.metrics import intervals
from apps.metrics.arrays import Floats, Integers, Matrix, gathered, membership, scaled
from apps.metrics.clusters import effective_size
from apps.metrics.contracts import LEVEL, Interval
from apps.metrics.results import Results


@dataclass(frozen=True)
class Cells:
    """`members` is cells × records; every estimate has one entry per cell."""

    results: Results
    members: Matrix
    clustered: bool

    def total(self, per_record: Floats) -> Floats:
        return np.asarray(self.members @ per_record, dtype=np.float64)

    def by_cluster(self, per_record: Floats) -> Matrix:
        """Cells × clusters: sums over the records that share both."""
        return gathered(scaled(self.members, per_record), self.results.clusters)


def whole(results: Results) -> Cells:
    return _cells(results, [np.arange(len(results.ordinals))])


def slices(results: Results, ordinals: Iterable[npt.ArrayLike]) -> Cells:
    """A cell for each array of ordinals; ordinals that have no result (yet) are left out."""
    return _cells(
        results, [_positions(results, np.asarray(cell, dtype=np.int64)) for cell in ordinals]
    )


def rates(cells: Cells, hits: Floats, tries: Floats, *, nothing: str) -> list[Interval]:
    """Wilson intervals of hits among tries, both counted per record."""
    size = None
    if cells.clustered or tries.max(initial=0) > 1:
        size = effective_size(cells.by_cluster(hits), cells.by_cluster(tries), level=LEVEL)
    return intervals.rates(cells.total(hits), cells.total(tries), effective=size, nothing=nothing)


@dataclass(frozen=True)
class Averaged:
    """What to take the mean of in each cell: a value per record, NaN where it is not known."""

    cells: Cells
    values: Floats
    nothing: str


def means(asked: Sequence[Averaged], *, seed: int) -> list[list[Interval]]:
    """The means of each Averaged, cell by cell; one bootstrap serves them all."""
    if not asked:
        return []
    sums = [one.cells.by_cluster(np.nan_to_num(one.values)) for one in asked]
    counts = [one.cells.by_cluster((~np.isnan(one.values)).astype(np.float64)) for one in asked]
    sizes = [count.shape[0] for count in counts]
    found = intervals.means(
        sparse.csr_array(sparse.vstack(sums)),
        sparse.csr_array(sparse.vstack(counts)),
        seed=seed,
        nothing=np.repeat([one.nothing for one in asked], sizes).tolist(),
    )
    rest = iter(found)
    return [list(islice(rest, size)) for size in sizes]


def percentiles(cells: Cells, values: Floats, q: float, *, nothing: str) -> list[Interval]:
    """The q-quantile of values given per result; NaN values do not count."""
    order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]
    record = cells.results.record[order]
    held = sparse.csc_array(
        (np.ones(len(order)), record, np.arange(len(order) + 1)),
        shape=(cells.members.shape[1], len(order)),
    )
    samples = sparse.csr_array(cells.members @ held)
    clusters = cells.results.clusters[record] if cells.clustered else None
    return intervals.percentiles(values[order], samples, q, clusters, nothing=nothing)


def _cells(results: Results, positions: Sequence[Integers]) -> Cells:
    return Cells(
        results=results,
        members=membership(positions, len(results.ordinals)),
        clustered=results.clustered,
    )


def _positions(results: Results, ordinals: Integers) -> Integers:
    wanted = np.unique(ordinals)
    found = np.searchsorted(results.ordinals, wanted)
    inside = found < len(results.ordinals)
    inside[inside] = results.ordinals[found[inside]] == wanted[inside]
    return found[inside].astype(np.int64)
