"""What the test of every cell comes to."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from apps.metrics.arrays import Booleans, Floats
from apps.metrics.compared import Verdict
from apps.metrics.contracts import TOO_FEW, Interval

from .flips import Flips
from .holm import holm
from .observed import Observed
from .pairs import Measure
from .power import FEWEST, detectable
from .reasons import ALPHA
from .sides import known
from .tested import Tested, tested


@dataclass(frozen=True)
class Outcomes:
    """p, verdict and interval of a measure in every cell; `family`: the cells are slices."""

    measure: Measure
    observed: Observed
    flips: Flips
    family: bool

    @cached_property
    def p(self) -> Floats:
        return self._tested.p

    @cached_property
    def adjusted(self) -> Floats:
        """Holm's p of the slices that are large enough; NaN elsewhere."""
        enough = self.observed.change.n >= TOO_FEW
        return holm(np.where(enough & self.family, self.p, np.nan))

    @cached_property
    def tests(self) -> int:
        """How many are in the family."""
        return max(1, int((~np.isnan(self.adjusted)).sum()))

    @property
    def names(self) -> list[str]:
        return self._tested.test

    @cached_property
    def verdicts(self) -> list[Verdict]:
        decisive = self.adjusted if self.family else self.p
        bounded = ~(np.isnan(self._tested.low) | np.isnan(self._tested.high))
        judged = (decisive <= ALPHA) & (self.observed.change.n >= TOO_FEW) & bounded
        return [
            self._verdict(point) if clear else "inconclusive"
            for point, clear in zip(self.observed.change.means, judged, strict=True)
        ]

    @cached_property
    def intervals(self) -> list[Interval]:
        test, change = self._tested, self.observed.change
        bounds = np.stack([change.means, test.low, test.high], axis=1) * self.observed.unit
        cells = zip(bounds.tolist(), change.n, test.method, test.without, strict=True)
        return [
            Interval(
                point=known(point),
                low=known(low),
                high=known(high),
                n=int(n),
                method=method,
                reason=why,
            )
            for (point, low, high), n, method, why in cells
        ]

    @cached_property
    def detectable(self) -> list[float | None]:
        """The smallest difference that would show, in the measure's unit."""
        cells = zip(self.observed.discordance, self.observed.worth, self._able, strict=True)
        return [self._detectable(d, worth) if able else None for d, worth, able in cells]

    @property
    def _able(self) -> Booleans:
        """Where a verdict is possible at all."""
        change = self.observed.change
        return ~np.isnan(self.p) & (change.size >= FEWEST) & (change.n >= TOO_FEW)

    def _detectable(self, discordance: float, worth: float) -> float | None:
        scale = self.observed.unit if discordance else self.observed.unit * self.observed.range
        found = detectable(discordance, worth, binary=self.measure.binary, tests=self.tests)
        if self.measure.binary:
            return found
        return found * scale if found and scale else None

    def _verdict(self, point: float) -> Verdict:
        if not point:
            return "inconclusive"
        return "better" if (point > 0) == self.measure.higher_is_better else "worse"

    @cached_property
    def _tested(self) -> Tested:
        shares, binary = self.measure.shares, self.measure.binary
        return tested(self.observed, binary=binary, flips=self.flips, shares=shares)
