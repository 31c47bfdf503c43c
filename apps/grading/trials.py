"""What several trials of one record make of its score."""

import math
import statistics
from collections.abc import Sequence
from functools import cache
from typing import Literal

Over = Literal["mean", "pass_any", "pass_all", "interval"]
"""How trials become one: their mean, the best, the worst, or a bound that the mean exceeds."""

LEVEL = 0.95


def over_trials(values: Sequence[float], how: Over) -> float | None:
    """One score of a record's trials, each from 0 to 1; None where no trial has one.

    `mean`: the arithmetic mean. `pass_any`: the best trial. `pass_all`: the worst. `interval`:
    the lower bound of the two-sided 95 % t interval of the mean, m - t(0.975, n - 1) * s / sqrt(n)
    with s the sample's standard deviation (Student 1908; NIST/SEMATECH e-Handbook 1.3.5.2), from 0
    to 1; a single trial has no spread to go by and counts as it is, as agentv counts it.
    """
    if not values:
        return None
    if how == "pass_any":
        return max(values)
    if how == "pass_all":
        return min(values)
    if how == "interval":
        return _lower_bound(values)
    return statistics.fmean(values)


def record_passes(passes: Sequence[bool], how: Over) -> bool | None:
    """Whether a record passes by its judged trials; None where none was judged.

    It does where what they make of 1 (passed) and 0 (failed the contract) is above a half: with
    `mean` most of them passed, with `pass_any` one did, with `pass_all` all did, and with
    `interval` most did even at the lower bound.
    """
    share = over_trials([float(passed) for passed in passes], how)
    return None if share is None else share > 0.5


def _lower_bound(values: Sequence[float]) -> float:
    mean = statistics.fmean(values)
    spread = statistics.stdev(values) if len(values) > 1 else 0.0
    if not spread:
        return mean
    margin = _quantile(len(values) - 1) * spread / math.sqrt(len(values))
    return min(max(mean - margin, 0.0), 1.0)


@cache
def _quantile(freedom: int) -> float:
    from scipy import stats  # a heavy import that only this question needs

    return float(stats.t.ppf((1 + LEVEL) / 2, freedom))
