"""All that is said of two runs, metric by metric."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from apps.metrics.arrays import Booleans, Integers
from apps.metrics.compared import MOVES, Difference, Moves
from apps.metrics.contracts import Interval

from . import sides
from .cells import Cells, Key, lay
from .flips import Flips
from .groups import Groups
from .observed import Observed
from .outcomes import Outcomes
from .pairs import Both, Measure, Pairs, move_codes
from .reasons import reason
from .sides import known

WHOLE: Key = ("", "")


def compare(
    pairs: Pairs,
    measures: Sequence[Measure],
    slices: Mapping[Key, Integers],
    *,
    seed: int,
    sliced: Collection[str],
) -> tuple[list[Difference], list[Difference]]:
    """The difference of every measure over the whole, and of those named in `sliced` by slice.

    `slices`: the positions of the pairs of each (family, value), each once. Holm's correction is
    over the slices of one metric that have at least 20 compared records. The same seed gives the
    same answer, in whatever order the pairs come; the runs swapped give its mirror image.

    Sources: Miller 2024, "Adding error bars to evals" (arXiv 2411.00640), for paired differences
    and groups; McNemar 1947 and Tango 1998 in `proportions`, Fisher 1935 and Hartigan 1969 in
    `flips`, Holm 1979 in `holm`.
    """
    flips, clusters = Flips(seed), pairs.clusters
    whole = _Comparing(pairs, lay({WHOLE: np.arange(len(clusters))}, clusters), flips, False)
    parts = _Comparing(pairs, lay(slices, clusters), flips, True)
    chosen = [measure for measure in measures if measure.metric in sliced]
    return (
        [one for measure in measures for one in whole.differences(measure)],
        [one for measure in chosen for one in parts.differences(measure)],
    )


@dataclass(frozen=True)
class _Comparing:
    """The pairs as one whole, or as a family of slices."""

    pairs: Pairs
    cells: Cells
    flips: Flips
    family: bool

    def differences(self, measure: Measure) -> list[Difference]:
        found = self._outcomes(measure, measure.both, self.pairs.failed)
        columns = self._columns(measure, found) | self._with_errors(measure)
        rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
        unsaid = [
            Difference(
                metric=measure.metric,
                binary=measure.binary,
                higher_is_better=measure.higher_is_better,
                reason="",
                **row,
            )
            for row in rows
        ]
        return [one.model_copy(update={"reason": reason(one, found.tests)}) for one in unsaid]

    def _columns(self, measure: Measure, found: Outcomes) -> dict[str, Sequence[Any]]:
        """The fields that cells differ in, a list of each."""
        observed = found.observed
        return {
            "family": [family for family, _ in self.cells.keys],
            "value": [value for _, value in self.cells.keys],
            "moves": self._moves(measure),
            "baseline": self._side(measure, observed, observed.baseline),
            "candidate": self._side(measure, observed, observed.candidate),
            "difference": found.intervals,
            "p": [known(p) for p in found.p],
            "p_adjusted": [known(p) for p in found.adjusted],
            "test": found.names,
            "verdict": found.verdicts,
            "detectable": found.detectable,
        }

    def _with_errors(self, measure: Measure) -> dict[str, Sequence[Any]]:
        if measure.with_errors is None:
            return {}
        nobody = np.zeros(len(self.pairs.clusters), dtype=np.bool_)
        found = self._outcomes(measure, Both(*measure.with_errors), nobody)
        return {"errors_as_fails": found.intervals, "verdict_with_errors": found.verdicts}

    def _outcomes(self, measure: Measure, both: Both, left_out: Booleans) -> Outcomes:
        observed = Observed(self.cells, both, left_out)
        return Outcomes(measure, observed, self.flips, self.family)

    def _side(self, measure: Measure, observed: Observed, groups: Groups) -> list[Interval]:
        if measure.binary:
            return sides.rates(groups)
        return sides.means(groups, unit=observed.unit, seed=self.flips.seed)

    def _moves(self, measure: Measure) -> list[Moves]:
        counts = self.cells.counts(move_codes(self.pairs, measure), len(MOVES)).tolist()
        return [Moves(**dict(zip(MOVES, row, strict=True))) for row in counts]
