"""What two runs gave for the records that they share."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from apps.metrics.arrays import Booleans, Floats, Integers
from apps.metrics.compared import MOVES

LARGEST = 1e100
"""What is further from 0 is no measurement; its square would leave the floats."""
_EQUAL = 1e-9
"""Values this close, relative to the larger, differ by how they were added up."""


@dataclass(frozen=True)
class Measure:
    """One metric of all shared pairs; NaN where it is not known.

    Shapes: `baseline` and `candidate` have a value per pair. `binary`: values are 0, 1 or NaN.
    `with_errors`: the same two where an error counts as 0; None where the metric has no fail.
    """

    metric: str
    baseline: Floats
    candidate: Floats
    binary: bool = False
    higher_is_better: bool = True
    with_errors: tuple[Floats, Floats] | None = None

    @cached_property
    def both(self) -> "Both":
        return Both(self.baseline, self.candidate)

    @cached_property
    def shares(self) -> bool:
        """Passes, scores and shares of trials lie between 0 and 1 by what they are; amounts, of
        which less is better, have no range even where they happen to lie there."""
        return self.higher_is_better and in_shares(*self.both.sides)


class Both:
    """What both runs have of one metric, worked out once for all cells."""

    def __init__(self, baseline: Floats, candidate: Floats):
        self.sides = (measured(baseline), measured(candidate))
        self.change = changes(*self.sides)


@dataclass(frozen=True)
class Pairs:
    """The records that both runs have, one entry per pair.

    `baseline_failed`, `candidate_failed`: the run has an error on the record and no value.
    `clusters`: numbered from 0; whole groups (a document, a session) are independent of each
    other, their records are not. Without groups every pair has a number of its own.
    """

    baseline_failed: Booleans
    candidate_failed: Booleans
    clusters: Integers

    @cached_property
    def failed(self) -> Booleans:
        return self.baseline_failed | self.candidate_failed


def move_codes(pairs: Pairs, measure: Measure) -> npt.NDArray[np.int8]:
    """What became of each pair: an index into `compared.MOVES`."""
    change = measure.both.change
    gain = change if measure.higher_is_better else -change
    moves = [gain > 0, gain < 0, gain == 0]
    codes = np.select(moves, [_code("better"), _code("worse"), _code("same")], _code("unscored"))
    return np.where(pairs.failed, _code("error"), codes).astype(np.int8)


def in_shares(*sides: Floats) -> bool:
    """Whether all known values lie between 0 and 1."""
    return all(bool((((side >= 0) & (side <= 1)) | np.isnan(side)).all()) for side in sides)


def changes(baseline: Floats, candidate: Floats) -> Floats:
    """Candidate - baseline; NaN where one is not known, exactly 0 where only rounding differs."""
    before, after = measured(baseline), measured(candidate)
    change = after - before
    larger = np.maximum(np.abs(before), np.abs(after))
    return np.where(np.abs(change) <= _EQUAL * larger, 0 * change, change)


def measured(values: Floats) -> Floats:
    """The values as floats, NaN where there is no number or none that anything can measure."""
    floats = np.asarray(values, dtype=np.float64)
    return np.where(np.abs(floats) <= LARGEST, floats, np.nan)


def _code(move: str) -> int:
    return [str(each) for each in MOVES].index(move)
