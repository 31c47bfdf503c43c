"""What is said of people's labels: agreement, consensus, calibration; nothing here computes."""

from typing import Literal

from pydantic import FiniteFloat

from apps.contract import Contract
from apps.metrics.contracts import Interval

Level = Literal["nominal", "ordinal", "interval"]
"""Of measurement: different names, an order, or numbers whose distances mean something."""

Rule = Literal["majority", "unanimity", "adjudicated"]
Unsettled = Literal["", "tie", "split", "too_few", "adjudicate"]
Sample = Literal["random", "separate", "chosen", "unknown"]
"""How labelled units came about: drawn from those that the judge judged, with known
probabilities; a set beside them; picked because they are interesting; or nobody has said."""

Method = Literal["ppi++", "rogan-gladen", "none"]


class Marginal(Contract):
    """How often a label was given."""

    label: str
    count: int


class Agreement(Contract):
    """How far several people agree on one question.

    items: with two labels or more, `alone` with one; labels = Σ marginals, singles included;
    pairs of labels on the same item. Intervals have n = items. `percent` is the mean over items
    of the share of their pairs that agree. `level` is that of alpha. `explanation`: why alpha and
    AC1 differ, '' where they do not.
    """

    level: Level
    items: int
    alone: int
    raters: int
    pairs: int
    labels: int
    marginals: tuple[Marginal, ...]
    percent: Interval
    alpha: Interval
    ac1: Interval
    explanation: str = ""


class PairAgreement(Contract):
    """Two people on the items that both have labelled: percent agreement and Cohen's kappa."""

    first: str
    second: str
    items: int
    percent: Interval
    kappa: Interval


class Pairs(Contract):
    """Pairs of people, those with the most shared items first; `left_out` says how many are not
    listed."""

    listed: tuple[PairAgreement, ...]
    left_out: int


class PersonAgreement(Contract):
    """One person against the others and against known answers; rates with Wilson intervals.

    labels = consensus.n + undecided + alone. `consensus` is the strict majority of the others, the
    person left out; `undecided` items have none, on `alone` nobody else has a label.
    """

    annotator: str
    labels: int
    undecided: int
    alone: int
    consensus: Interval
    gold: Interval


class Settled(Contract):
    """What labels of several people come to: a label, or None and why."""

    label: str | None
    reason: Unsettled = ""
    votes: tuple[Marginal, ...] = ()
    """The most frequent label first."""


class Confusion(Contract):
    """Judge × human on the units that both decided."""

    true_pass: int
    false_pass: int
    """The judge passed what people failed."""
    false_fail: int
    true_fail: int

    @property
    def n(self) -> int:
        return self.true_pass + self.false_pass + self.false_fail + self.true_fail


class LeftOut(Contract):
    """Units that the confusion matrix is without."""

    side: Literal["judge", "human"]
    reason: str
    count: int


class ReliabilityBin(Contract):
    """Units that the judge scored from `low` to below `high` (the last bin holds both ends).

    `score` is their mean score, `passed` the share that people passed; None where the bin is empty.
    """

    low: float
    high: float
    score: FiniteFloat | None
    passed: Interval


class Reliability(Contract):
    """A judge's scores against people's verdicts, in bins of equal width.

    n = Σ bins' n, the units with both; `unlabelled` have a score and no verdict of people,
    `unscored` no score. `error` is the expected calibration error: the mean distance between a
    bin's score and the share that people passed, by how many units it holds; None without any.
    """

    bins: tuple[ReliabilityBin, ...]
    n: int
    unlabelled: int
    unscored: int
    error: FiniteFloat | None


class Calibration(Contract):
    """A judge held against people, pass or fail.

    units = confusion.n + Σ left_out. `sensitivity` is of what people passed, `specificity` of what
    they failed, `precision` of what the judge passed, `accuracy` of both; where units were drawn
    with unequal probabilities they are weighted. `raw` is the judge's pass rate over all that it
    judged (over the other units, where the labelled ones are a set beside them), `human` the
    people's where they drew at random, `corrected` the people's pass rate of the same units as
    `raw`, estimated by `method`; `why` says why this method or why none. `reliability` is of the
    judge's scores; None where it gives none.
    """

    sample: Sample
    units: int
    judged: int
    labelled: int
    confusion: Confusion
    left_out: tuple[LeftOut, ...]
    sensitivity: Interval
    specificity: Interval
    precision: Interval
    accuracy: Interval
    kappa: Interval
    raw: Interval
    human: Interval
    corrected: Interval
    method: Method
    why: str
    reliability: Reliability | None = None

    @property
    def is_calibrated(self) -> bool:
        """Whether anybody has looked at all."""
        return self.confusion.n > 0

    @property
    def beyond_chance(self) -> bool:
        """Whether judge and people are shown to agree more than by chance."""
        return self.kappa.low is not None and self.kappa.low > 0
