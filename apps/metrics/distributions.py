"""Histograms that JSON can hold."""

import math

import numpy as np
import numpy.typing as npt

from apps.metrics.arrays import Floats, finite
from apps.metrics.contracts import Distribution, nice_step

MOST_BINS = 30
FINEST_MS = 1e-6


def scores(values: npt.ArrayLike) -> Distribution:
    """Scores from 0 to 1 in tenths."""
    return _distribution(_known(values), np.arange(11) / 10)


def latencies(values: npt.ArrayLike) -> Distribution:
    """At most 30 bins of a round width, from 0 unless all values are far from it.

    The bins end at twice the 95th percentile, or at the maximum if it is lower: one call that
    took a minute must not flatten all others into the first bin.
    """
    known = _known(values)
    return _distribution(known, _nice_edges(known))


def _known(values: npt.ArrayLike) -> Floats:
    floats = finite(values)
    return floats[~np.isnan(floats)]


def _nice_edges(values: Floats) -> Floats:
    if not values.size:
        return np.empty(0)
    top = min(float(values.max()), 2 * float(np.quantile(values, 0.95))) or 1.0
    bottom = 0.0 if 0 <= values.min() < top / 2 else float(values.min())
    span = max(top - bottom, top / 1000, FINEST_MS)
    # Rounding outward may add a bin, and then the next step is taken.
    steps = (nice_step(span, most) for most in (MOST_BINS, MOST_BINS - 1))
    return next(edges for step in steps if len(edges := _cut(bottom, top, step)) <= MOST_BINS + 1)


def _cut(bottom: float, top: float, step: float) -> Floats:
    first, last = math.floor(bottom / step), math.ceil(top / step)
    return np.round(np.arange(first, max(last, first + 1) + 1) * step, 10)


def _distribution(values: Floats, edges: Floats) -> Distribution:
    counts, _ = np.histogram(values, edges) if edges.size else (np.empty(0, np.int64), None)
    return Distribution(
        edges=tuple(edges.tolist()),
        counts=tuple(counts.tolist()),
        above=int(values.size - counts.sum()),
        count=values.size,
        mean=float(values.mean()) if values.size else None,
        minimum=float(values.min()) if values.size else None,
        maximum=float(values.max()) if values.size else None,
    )
