"""The people's pass rate behind a judge's, by rates of error known from other labels.

Rogan and Gladen 1978; the interval of Lang and Reiczigel 2014 (Preventive Veterinary Medicine
113:13-22, equations 4, 6, 7, 16 and 17), which allows for how few labels the rates rest on.
"""

import math
from typing import NamedTuple

from scipy import stats

from apps.metrics.contracts import LEVEL, Interval

METHOD = "rogan-gladen"


class Share(NamedTuple):
    """A rate and how many units it rests on."""

    rate: float
    n: float


def rogan_gladen(raw: Share, sensitivity: Share, specificity: Share) -> Interval:
    """Within [0, 1]; n is that of the raw rate. Sensitivity + specificity must be above 1."""
    gain = sensitivity.rate + specificity.rate - 1
    if gain <= 0:
        raise ValueError("sensitivity and specificity together must be above 1")
    point = _share((raw.rate + specificity.rate - 1) / gain)
    low, high = _bounds(raw, sensitivity, specificity)
    return Interval(
        point=point,
        low=min(point, _share(low)),  # the bounds are around a shrunk rate
        high=max(point, _share(high)),
        n=int(raw.n),
        method=METHOD,
    )


def _bounds(raw: Share, sensitivity: Share, specificity: Share) -> tuple[float, float]:
    z = float(stats.norm.ppf((1 + LEVEL) / 2))
    q, se, sp = _shrunk(raw, z * z), _shrunk(sensitivity, 2), _shrunk(specificity, 2)
    gain = se.rate + sp.rate - 1
    p = (q.rate + sp.rate - 1) / gain
    of_se, of_sp = _variance(se), _variance(sp)
    shift = 2 * z * z * (p * of_se - (1 - p) * of_sp)
    half = z * math.sqrt(_variance(q) + p * p * of_se + (1 - p) ** 2 * of_sp) / abs(gain)
    return p + shift - half, p + shift + half


def _shrunk(share: Share, added: float) -> Share:
    """As if `added` further units had been seen, half of them hits."""
    n = share.n + added
    return Share((share.n * share.rate + added / 2) / n, n)


def _variance(share: Share) -> float:
    return share.rate * (1 - share.rate) / share.n


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))
