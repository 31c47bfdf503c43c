"""How cells (the whole, or the slices) and their groups lie over the pairs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from apps.metrics.arrays import Floats, Integers

Key = tuple[str, str]


@dataclass(frozen=True)
class Cells:
    """A member is a pair in a cell; a group is a cluster in a cell.

    Shapes: `pair`, `cell` and `group` have an entry per member, `group_cell` one per group, cells
    ascending.
    """

    keys: tuple[Key, ...]
    pair: Integers
    cell: Integers
    group: Integers
    group_cell: Integers

    @cached_property
    def alone(self) -> Integers | None:
        """The pair of each group; None where a group has several."""
        if len(self.group) > len(self.group_cell):
            return None
        pairs = np.empty(len(self.group), dtype=np.int64)
        pairs[self.group] = self.pair
        return pairs

    def counts(self, codes: npt.NDArray[np.integer], kinds: int) -> Integers:
        """Cells × kinds: how many pairs of each code from 0."""
        place = self.cell * kinds + codes[self.pair]
        return np.bincount(place, minlength=len(self.keys) * kinds).reshape(-1, kinds)

    def totals(self, per_pair: npt.NDArray[np.generic]) -> Floats:
        return _sums(self.cell, per_pair[self.pair], len(self.keys))

    def group_totals(self, per_pair: npt.NDArray[np.generic]) -> Floats:
        if self.alone is not None:
            return np.asarray(per_pair[self.alone], dtype=np.float64)
        return _sums(self.group, per_pair[self.pair], len(self.group_cell))


def lay(positions: Mapping[Key, Integers], clusters: Integers) -> Cells:
    """A cell of each key over the pairs at its positions."""
    held = [np.asarray(each, dtype=np.int64) for each in positions.values()]
    cell = np.repeat(np.arange(len(held)), [len(each) for each in held])
    pair = np.concatenate([np.empty(0, np.int64), *held])
    width = int(clusters.max(initial=0)) + 1
    keys, group = np.unique(cell * width + clusters[pair], return_inverse=True)
    return Cells(tuple(positions), pair, cell, group, keys // width)


def _sums(index: Integers, weights: npt.NDArray[np.generic], size: int) -> Floats:
    return np.bincount(index, weights=weights, minlength=size).astype(np.float64)
