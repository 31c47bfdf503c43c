"""What is said of many runs: trends, ranks with ties, flicker; nothing here computes."""

from typing import Literal

from pydantic import FiniteFloat

from apps.contract import Contract
from apps.metrics.contracts import Interval

TrendVerdict = Literal["improving", "degrading", "stable", "inconclusive"]
Mixed = Literal["flickers", "changed", "differs"]
"""How a record passes in some runs and fails in others: to and fro, or otherwise within one target
version; once, from one version of a target to the next; from target to target alone."""


class Trend(Contract):
    """A metric over runs in their order: the slope per run by weighted least squares.

    `slope` has the metric's unit a run, n = runs with a value; `intercept` is at the first run.
    `improving` and `degrading`: the interval of the slope excludes 0. `stable`: it holds 0 and lies
    within ± `threshold`; `inconclusive`: too few runs, or it holds 0 and reaches beyond the
    threshold. `r_squared` is of the unweighted line, as agentv tells it.
    """

    slope: Interval
    intercept: FiniteFloat | None
    r_squared: FiniteFloat | None
    p: FiniteFloat | None
    threshold: float
    verdict: TrendVerdict
    reason: str


class Ranked(Contract):
    """One run on a board: with everything tied, its rank is anywhere from first to last.

    `first` and `last` are the ranks it may have: 1 + runs significantly better, and the number of
    runs less those significantly worse. `group` numbers sets of runs that no test finds worse than
    the set's best; a run that fits several is in the first.
    """

    run: str
    estimate: Interval
    first: int
    last: int
    group: int


class Flicker(Contract):
    """A record that passed in some runs and failed in others; `ordinal` is of the version."""

    kind: Mixed
    ordinal: int
    passed: int
    judged: int


class Board(Contract):
    """Runs of one dataset version by one metric, the best first, and what flickers over them.

    `shared`: records that every ranked run has a value for. Two runs are tested on the records that
    both have, paired, with Holm over all pairs. `left_out`: runs without a value. `flickers` are
    listed up to a bound of each kind, `flickering`, `changed` and `differing` count them all, among
    `judged` records that at least two runs judged: with always_passed + always_failed they add up.
    """

    metric: str
    shared: int
    ranks: tuple[Ranked, ...]
    left_out: tuple[str, ...]
    flickers: tuple[Flicker, ...]
    flickering: int
    changed: int
    differing: int
    judged: int
    always_passed: int
    always_failed: int
