"""Sums by independent group, which tests and intervals are made of."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from apps.metrics.arrays import Booleans, Floats, Integers, ratio
from apps.metrics.contracts import LEVEL

Z2 = float(special.ndtri((1 + LEVEL) / 2)) ** 2
"""The square of the normal quantile."""


@dataclass(frozen=True)
class Groups:
    """Sums of a value and how many there are, by independent group; no group is empty.

    Shapes: an entry per group, `cell` ascending below `cells`; what is told of cells has an entry
    per cell. `size` is how many groups a cell has, `n` how many values.
    """

    cells: int
    cell: Integers
    sums: Floats
    counts: Floats
    size: Floats
    n: Floats

    def totals(self, per_group: Floats | Booleans) -> Floats:
        return _totals(self.cells, self.cell, per_group)

    @cached_property
    def total(self) -> Floats:
        return self.totals(self.sums)

    @cached_property
    def means(self) -> Floats:
        return ratio(self.total, self.n)

    @cached_property
    def squares(self) -> Floats:
        return self.totals(self.sums**2)

    @cached_property
    def variance(self) -> Floats:
        """Of the mean, linearised, between groups; NaN where there is one."""
        residuals = self.sums - np.nan_to_num(self.means)[self.cell] * self.counts
        return ratio(self.totals(residuals**2) * self.size, (self.size - 1) * self.n**2)

    @cached_property
    def differing(self) -> Floats:
        """How many groups each cell has whose sum is not 0."""
        return self.totals(self.sums != 0)

    @cached_property
    def still(self) -> Floats:
        """How many values are in groups whose sum is 0."""
        return self.totals(np.where(self.sums == 0, self.counts, 0))

    @cached_property
    def still_squares(self) -> Floats:
        """The sum of the squared sizes of these groups."""
        return self.totals(np.where(self.sums == 0, self.counts**2, 0))

    @cached_property
    def repeats(self) -> Booleans:
        """Which cells have several values in one group."""
        return self.size < self.n

    @cached_property
    def dominated(self) -> Booleans:
        """Where one group weighs so much that the others say nothing of how groups differ.

        n² / Σ(size²), the number of equal groups of the same weight (Kish 1965), is below z².
        """
        if not self.repeats.any():
            return self.repeats
        return self.repeats & (self.n**2 <= Z2 * self.totals(self.counts**2))

    def oriented(self) -> tuple["Groups", Floats]:
        """The groups with the sign that makes the total of their cell positive, and those signs."""
        signs = np.sign(self.total)
        if (signs == 0).any():
            cubes = self.totals(self.sums * self.sums * self.sums)
            signs = np.where(signs == 0, np.sign(cubes), signs)
        signs = np.where(signs == 0, 1.0, signs)
        return replace(self, sums=self.sums * signs[self.cell]), signs

    def padded(self, cells: Integers, of: Booleans, width: int) -> tuple[Floats, Floats]:
        """Sums and counts as cells × groups, in an order that no numbering of groups changes."""
        wanted = of & np.isin(np.arange(self.cells), cells)[self.cell]
        cell, sums, counts = self.cell[wanted], self.sums[wanted], self.counts[wanted]
        order = np.lexsort((counts, sums, cell))
        row = np.searchsorted(cells, cell[order])
        column = np.arange(len(row)) - np.searchsorted(row, row)
        padded = np.zeros((2, len(cells), width))
        padded[:, row, column] = sums[order], counts[order]
        return padded[0], padded[1]


def grouped(cells: int, cell: Integers, sums: Floats, counts: Floats) -> Groups:
    size = _totals(cells, cell, np.ones(len(cell)))
    return Groups(cells, cell, sums, counts, size, _totals(cells, cell, counts))


def _totals(cells: int, cell: Integers, per_group: Floats | Booleans) -> Floats:
    return np.bincount(cell, weights=per_group, minlength=cells).astype(np.float64)
