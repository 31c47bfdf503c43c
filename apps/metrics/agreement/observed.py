"""Percent agreement: the share of an item's pairs of labels that agree, averaged over items."""

import numpy as np

from apps.metrics.arrays import Floats, Integers, ratio
from apps.metrics.contracts import Interval, at_most
from apps.metrics.words import in_percent

from .labelled import Counts
from .resampling import bootstrapped


def agreeing(counts: Counts) -> Floats:
    """Of each kind of item, the share of its pairs that agree; NaN where there is no pair."""
    raters = counts.raters
    squares = np.asarray(counts.matrix.power(2).sum(axis=1), dtype=np.float64)
    return ratio(squares - raters, raters * (raters - 1))


def percent(counts: Counts, weights: Floats) -> Floats:
    paired = weights * (counts.raters > 1)
    return ratio(paired @ np.nan_to_num(agreeing(counts)), paired.sum(axis=1))


def percent_agreed(shares: Floats, items: Integers, *, seed: int, nothing: str) -> Interval:
    """With a bootstrap over the items that have a pair; `shares` and how many items have each.

    Items are told apart by their share alone, the most agreed first: of two people a question
    and their line among the pairs draw the same resamples, and say the same number.
    """
    known = ~np.isnan(shares)
    found, kind = np.unique(-shares[known], return_inverse=True)
    held = np.bincount(kind, weights=items[known], minlength=len(found)).astype(np.int64)
    interval = bootstrapped(
        lambda weights: ratio(weights @ -found, weights.sum(axis=1)),
        held,
        n=int(held.sum()),
        width=max(1, len(found)),
        seed=seed,
        nothing=nothing,
    )
    return _unanimous(interval)


def _unanimous(interval: Interval) -> Interval:
    """A bootstrap of no disagreement sees none: how many there may be is another sentence."""
    bound = at_most(interval.n)
    if interval.point != 1 or bound is None or interval.reason:
        return interval
    why = (
        f"nobody disagrees on {interval.n:,} items: at most {in_percent(bound, 1)} of all have "
        "a dispute"
    )
    return interval.model_copy(update={"reason": why})
