"""Krippendorff's alpha, 1 - observed / expected disagreement (Krippendorff 2011).

Only items with two labels or more count. Constant labels: 1, by convention. Shapes: weights are
resamples × kinds of item, answers have one value per resample; NaN without any pair of labels.
"""

import numpy as np

from apps.metrics.arrays import Floats, ratio
from apps.metrics.labels import Level

from .labelled import Counts


def alpha(counts: Counts, weights: Floats, level: Level) -> Floats:
    """ValueError for an order or distances of labels that are not numbers."""
    paired = weights * (counts.raters > 1)
    shared = paired / np.maximum(counts.raters - 1, 1)
    given = np.asarray(paired @ counts.matrix, dtype=np.float64)
    n = given.sum(axis=1)
    if level == "nominal":
        observed, expected = _by_name(counts, shared, given)
    else:
        observed, expected = _by_distance(counts, shared, given, _scores(counts, given, level))
    found = 1 - (n - 1) * ratio(observed, expected)
    constant = np.count_nonzero(given, axis=1) == 1
    return np.where(n == 0, np.nan, np.where(constant, 1.0, found))


def _by_name(counts: Counts, shared: Floats, given: Floats) -> tuple[Floats, Floats]:
    squares = np.asarray(counts.matrix.power(2).sum(axis=1), dtype=np.float64)
    observed = shared @ (counts.raters**2 - squares)
    return observed, given.sum(axis=1) ** 2 - (given**2).sum(axis=1)


def _by_distance(
    counts: Counts, shared: Floats, given: Floats, scores: Floats
) -> tuple[Floats, Floats]:
    """Σ over pairs of (a - b)² is 2 (n Σa² - (Σa)²): no matrix of labels × labels is needed."""
    sums = np.asarray(counts.matrix @ scores.T, dtype=np.float64)
    squares = np.asarray(counts.matrix @ (scores**2).T, dtype=np.float64)
    within = 2 * (counts.raters[:, None] * squares - sums**2)
    between = given.sum(axis=1) * (given * scores**2).sum(axis=1)
    return (shared * within.T).sum(axis=1), 2 * (between - (given * scores).sum(axis=1) ** 2)


def _scores(counts: Counts, given: Floats, level: Level) -> Floats:
    """Numbers whose squared distances are the metric; of an order they are the mid-ranks."""
    if counts.values is None:
        raise ValueError(f"{level} needs labels that are numbers")
    if level == "interval":
        return np.broadcast_to(counts.values - counts.values.mean(), given.shape)
    return np.asarray(
        np.cumsum(given, axis=1) - (given + given.sum(axis=1, keepdims=True)) / 2, np.float64
    )
