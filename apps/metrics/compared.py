"""What is said of runs side by side; nothing here computes."""

from typing import Literal

from pydantic import FiniteFloat

from apps.contract import Contract
from apps.metrics.contracts import Interval

Verdict = Literal["better", "worse", "inconclusive"]
Move = Literal["better", "worse", "same", "error", "unscored"]
"""What became of a record; `error`: one of the runs failed on it, `unscored`: one has no value."""

MOVES: tuple[Move, ...] = ("better", "worse", "same", "error", "unscored")


class Moves(Contract):
    """How many shared records went which way: better + worse + same + error + unscored = shared.

    An error is neither win nor loss: better, worse and same are of records that both runs have.
    """

    better: int
    worse: int
    same: int
    error: int
    unscored: int

    @property
    def compared(self) -> int:
        return self.better + self.worse + self.same

    @property
    def shared(self) -> int:
        return self.compared + self.error + self.unscored


class Difference(Contract):
    """One metric of two runs, over the whole (family and value '') or a slice.

    `baseline`, `candidate` and `difference` (candidate - baseline) are of the records that both
    have, n = moves.compared; units are the metric's. `p` is of the test in `test`; `p_adjusted` is
    Holm's over all slices of the metric, None for the whole. `verdict` follows from p (adjusted
    for slices) at 0.05 and the direction; `reason` says in words why, or why none. `detectable` is
    the smallest difference that this many records would show with 80 % power, None where unknown.
    `errors_as_fails` is the difference when an error counts as 0, and `verdict_with_errors` what it
    would come to; both None where the metric has no fail (latency, cost).
    """

    metric: str
    family: str = ""
    value: str = ""
    binary: bool
    higher_is_better: bool
    moves: Moves
    baseline: Interval
    candidate: Interval
    difference: Interval
    p: FiniteFloat | None
    p_adjusted: FiniteFloat | None = None
    test: str
    verdict: Verdict
    reason: str
    detectable: FiniteFloat | None
    errors_as_fails: Interval | None = None
    verdict_with_errors: Verdict | None = None

    @property
    def n(self) -> int:
        return self.moves.compared


class Shared(Contract):
    """How the records of two runs pair, on what was asked; counts of records.

    `repeated`: of the shared ones, those whose input repeats, paired by their record id too.
    """

    shared: int
    only_baseline: int
    only_candidate: int
    repeated: int


class PairedRuns(Contract):
    """A candidate held against a baseline: what pairs, the whole, then every slice.

    `slices_left_out`: of a dataset with very many slices, how many of the smallest are not here.
    """

    shared: Shared
    whole: tuple[Difference, ...]
    slices: tuple[Difference, ...]
    seed: int
    slices_left_out: int = 0

    def of(self, metric: str, family: str = "", value: str = "") -> Difference | None:
        rows = self.slices if family else self.whole
        wanted = (metric, family, value)
        return next((d for d in rows if (d.metric, d.family, d.value) == wanted), None)
