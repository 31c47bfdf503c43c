"""Reliability: does a judge's score say how often people pass."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from apps.metrics.arrays import Floats, finite
from apps.metrics.calibration.rates import rate
from apps.metrics.labels import Reliability, ReliabilityBin

BINS = 10
_EMPTY = "no score lies here"


class _Units(NamedTuple):
    """Those that have both a score and a verdict of people."""

    score: Floats
    passed: Floats
    weight: Floats


def reliability(
    scores: npt.ArrayLike,
    passed: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    bins: int = BINS,
) -> Reliability:
    """Bins of equal width from 0 to 1, and the expected calibration error.

    Shapes: one entry a unit; `scores` from 0 to 1 and `passed` (1 or 0, by people), NaN where
    unknown; `weights` are inverse probabilities of having been drawn. The error is the mean of
    |mean score - share passed| over the bins, each by the weight of its units (Naeini, Cooper and
    Hauskrecht 2015, equation 1).
    """
    given, said = finite(scores), finite(passed)
    weight = np.ones(len(given)) if weights is None else finite(weights)
    scored, labelled = ~np.isnan(given), ~np.isnan(said)
    both = scored & labelled
    units = _Units(given[both], said[both], weight[both])
    edges = np.linspace(0, 1, bins + 1)
    places = np.clip(np.searchsorted(edges, units.score, side="right") - 1, 0, bins - 1)
    held = [_Units(*(each[places == place] for each in units)) for place in range(bins)]
    return Reliability(
        bins=tuple(
            _bin(float(low), float(high), inside)
            for low, high, inside in zip(edges, edges[1:], held, strict=False)
        ),
        n=len(units.score),
        unlabelled=int((scored & ~labelled).sum()),
        unscored=int((labelled & ~scored).sum()),
        error=_error(held),
    )


def _bin(low: float, high: float, inside: _Units) -> ReliabilityBin:
    some = len(inside.score) > 0
    return ReliabilityBin(
        low=low,
        high=high,
        score=float(np.average(inside.score, weights=inside.weight)) if some else None,
        passed=rate(inside.passed == 1, inside.weight, nothing=_EMPTY),
    )


def _error(held: list[_Units]) -> float | None:
    """|Σ w (score - passed)| of each bin is its weight times the distance of its two means."""
    total = sum(float(inside.weight.sum()) for inside in held)
    if not total:
        return None
    gaps = (abs(float(inside.weight @ (inside.score - inside.passed))) for inside in held)
    return sum(gaps) / total
