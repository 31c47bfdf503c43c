"""Units with what the judge and what people said of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from apps.metrics.arrays import Booleans, Floats
from apps.metrics.labels import Confusion, LeftOut
from apps.metrics.results import Frame

COLUMNS = ("judge", "human")
NO_VERDICT = "the judge said nothing"
NO_LABEL = "nobody labelled it"
MOST_REASONS = 10


@dataclass(frozen=True)
class Verdicts:
    """One entry per unit: 1 passed, 0 failed, NaN not known; and how likely it was to be drawn.

    `set_aside` units were to be labelled and have no label that counts (a tie, all discarded).
    """

    judge: Floats
    human: Floats
    probability: Floats
    judge_why: pd.Series
    human_why: pd.Series

    @property
    def both(self) -> Booleans:
        return self.judged & self.labelled

    @property
    def judged(self) -> Booleans:
        return ~np.isnan(self.judge)

    @property
    def labelled(self) -> Booleans:
        return ~np.isnan(self.human)

    @property
    def set_aside(self) -> Booleans:
        return np.asarray(~self.labelled & (self.human_why != NO_LABEL).to_numpy())

    @property
    def beside(self) -> Booleans:
        """What was judged and never put to people."""
        return self.judged & ~self.labelled & ~self.set_aside

    @property
    def complete(self) -> bool:
        """Whether all that was judged has been put to people."""
        return not self.beside.any()

    @property
    def weights(self) -> Floats:
        """Of the units that both decided: inverse probabilities that add up to how many."""
        inverse = 1 / self.probability[self.both]
        return inverse * (len(inverse) / inverse.sum()) if len(inverse) else inverse


def verdicts_of(frame: Frame) -> Verdicts:
    """Columns judge and human hold True, False or None; `probability` (0 < p ≤ 1, default 1),
    `judge_why` and `human_why` (reasons where there is no verdict) may be absent."""
    table = pd.DataFrame(frame).reset_index(drop=True)
    missing = [name for name in COLUMNS if name not in table]
    if missing:
        raise ValueError(f"the frame lacks the columns {', '.join(missing)}")
    labelled = table["human"].notna()
    probability = _column(table, "probability", 1.0).to_numpy(dtype=np.float64)
    if not ((probability > 0) & (probability <= 1))[labelled].all():
        raise ValueError("a labelled unit needs a probability above 0, at most 1")
    return Verdicts(
        judge=_floats(table["judge"]),
        human=_floats(table["human"]),
        probability=probability,
        judge_why=_column(table, "judge_why", "").replace("", NO_VERDICT),
        human_why=_column(table, "human_why", "").replace("", NO_LABEL),
    )


def confusion_of(verdicts: Verdicts) -> Confusion:
    judge, human = verdicts.judge[verdicts.both] == 1, verdicts.human[verdicts.both] == 1
    return Confusion(
        true_pass=int((judge & human).sum()),
        false_pass=int((judge & ~human).sum()),
        false_fail=int((~judge & human).sum()),
        true_fail=int((~judge & ~human).sum()),
    )


def left_out(verdicts: Verdicts) -> Iterator[LeftOut]:
    """Each unit once: what the judge lacks first, the commonest reasons first."""
    yield from _told("judge", verdicts.judge_why[~verdicts.judged])
    yield from _told("human", verdicts.human_why[verdicts.judged & ~verdicts.labelled])


def _told(side: Literal["judge", "human"], reasons: pd.Series) -> Iterator[LeftOut]:
    counts = reasons.value_counts()
    for reason, count in counts.iloc[:MOST_REASONS].items():
        yield LeftOut(side=side, reason=str(reason), count=int(count))
    if further := int(counts.iloc[MOST_REASONS:].sum()):
        yield LeftOut(side=side, reason="other reasons", count=further)


def _column(table: pd.DataFrame, name: str, default: str | float) -> pd.Series:
    if name not in table:
        return pd.Series([default] * len(table), dtype=type(default))
    return table[name].fillna(default)


def _floats(column: pd.Series) -> Floats:
    return np.array([np.nan if pd.isna(each) else float(bool(each)) for each in column], np.float64)
