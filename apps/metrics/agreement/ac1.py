"""Gwet's AC1 (Gwet 2008), with items that lack some labels.

Chance agreement is Σ π (1 - π) / (q - 1) over the q labels that could have been given, π being
the mean over all items with a label of the label's share. Agreement is over items with two or
more. Constant labels: 1.
"""

import numpy as np

from apps.metrics.arrays import Floats, ratio

from .labelled import Counts
from .observed import percent


def ac1(counts: Counts, weights: Floats, *, categories: int) -> Floats:
    """One value per row of weights (resamples × kinds of item); NaN without any pair."""
    if categories < 2:
        return np.where(percent(counts, weights) >= 0, 1.0, np.nan)
    by_item = weights / counts.raters
    shares = (by_item @ counts.matrix) / weights.sum(axis=1, keepdims=True)
    chance = (shares * (1 - shares)).sum(axis=1) / (categories - 1)
    return ratio(percent(counts, weights) - chance, 1 - chance)
