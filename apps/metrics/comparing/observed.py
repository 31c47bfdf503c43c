"""One metric laid over cells: who is compared, sums by cell and by group."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from apps.metrics.arrays import Booleans, Floats, ratio

from .cells import Cells
from .groups import Groups, grouped
from .pairs import Both

_ROUNDING = 1e-12


class Observed:
    """A metric of both runs over cells; where one of them has no value the pair is left out.

    All values are divided by `unit`, the largest of them, so that squares stay in the floats.
    """

    def __init__(self, cells: Cells, both: Both, left_out: Booleans):
        compared = ~(left_out | np.isnan(both.change))
        values = [np.where(compared, side, 0) for side in both.sides]
        self.unit = float(np.abs(values).max(initial=0)) or 1.0
        self.cells = cells
        self._change = np.where(compared, both.change, 0) / self.unit
        self.change = self._grouped(self._change, compared)
        self.baseline, self.candidate = (
            replace(self.change, sums=self._sums(each / self.unit)[self._held]) for each in values
        )
        held = np.concatenate([each[compared] for each in values]) / self.unit
        self.range = float(np.ptp(held)) if len(held) else 0.0
        """How far apart the compared values lie."""

    def _grouped(self, values: Floats, compared: Booleans) -> Groups:
        counts = self.cells.group_totals(compared)
        self._held = held = counts > 0
        cell = self.cells.group_cell[held]
        return grouped(len(self.cells.keys), cell, self._sums(values)[held], counts[held])

    def _sums(self, values: Floats) -> Floats:
        sums = self.cells.group_totals(values)
        if self.cells.alone is not None:
            return sums
        rounding = _ROUNDING * self.cells.group_totals(np.abs(values))
        return np.where(np.abs(sums) <= rounding, 0, sums)

    @cached_property
    def up(self) -> Floats:
        return self.cells.totals(self._change > 0)

    @cached_property
    def down(self) -> Floats:
        return self.cells.totals(self._change < 0)

    @cached_property
    def discordance(self) -> Floats:
        """The mean squared difference of a pair; NaN where nothing is compared."""
        return ratio(self.cells.totals(self._change**2), self.change.n)

    @cached_property
    def worth(self) -> Floats:
        """How many independent pairs the test takes them for; never above n.

        By the variance of the sum where the runs are alike; where no group differs each counts
        once.
        """
        n = self.change.n
        size = ratio(self.discordance * n**2, self.change.squares)
        return np.where(np.isnan(size), self.change.size, np.minimum(size, n))
