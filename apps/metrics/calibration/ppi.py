"""The people's pass rate of all that a judge judged, from labels of a random part of it.

PPI++ for a mean, tuned for power (Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453): with
labels Y and verdicts f, the mean of Y plus λ times how far the labelled verdicts are from all.
Written over all M judged units, the labelled ones among them: the same estimate as the paper's
over the unlabelled ones, its λ times (n + N) / N.
"""

import math

import numpy as np
from scipy import stats

from apps.metrics.arrays import Floats
from apps.metrics.contracts import LEVEL, Interval, at_most

METHOD = "ppi++"


def ppi(human: Floats, judge: Floats, weights: Floats, judged: Floats) -> tuple[Interval, float]:
    """The rate with its normal interval within [0, 1], and λ from 0 to 1.

    Shapes: `human`, `judge` and `weights` (inverse probabilities) of the n labelled units, at
    least 2; `judged` the verdicts on all M. The standard error is that of sampling twice: the
    units, and those of them that are labelled.
    """
    shares = weights / weights.sum()
    power = _tuned(human, judge, shares, judged)
    residuals = human - power * judge
    point = float(shares @ residuals + power * judged.mean())
    half = float(stats.norm.ppf((1 + LEVEL) / 2)) * math.sqrt(
        _variance(residuals, judge, shares, judged, power)
    )
    n, reason = len(human), ""
    if np.ptp(human) == 0 or (human == judge).all():
        # What was never seen has no variance to estimate: the rule of three is what is left.
        bound = at_most(n) or 0.0
        half += bound
        reason = f"none of {n:,} labels differs: the interval allows for 3/{n:,} that would"
    return Interval(
        point=min(1.0, max(0.0, point)),
        low=min(1.0, max(0.0, point - half)),
        high=max(0.0, min(1.0, point + half)),
        n=n,
        method=METHOD,
        reason=reason,
    ), power


def _tuned(human: Floats, judge: Floats, shares: Floats, judged: Floats) -> float:
    spread = float(judged.var())
    return min(1.0, max(0.0, _covariance(human, judge, shares) / spread)) if spread else 0.0


def _variance(
    residuals: Floats, judge: Floats, shares: Floats, judged: Floats, power: float
) -> float:
    n, units = len(residuals), len(judged)
    own = float((shares**2) @ (residuals - shares @ residuals) ** 2) * n / (n - 1)
    common = power**2 * float(judged.var()) + 2 * power * _covariance(residuals, judge, shares)
    return max(0.0, own + common / units)


def _covariance(first: Floats, second: Floats, shares: Floats) -> float:
    return float(shares @ ((first - shares @ first) * (second - shares @ second)))
