"""The percentile bootstrap of anything that is computed from how often each kind of item occurs."""

from collections.abc import Callable

import numpy as np

from apps.metrics.arrays import Floats, Integers
from apps.metrics.contracts import LEVEL, Interval

RESAMPLES = 1000
METHOD = "bootstrap"
_CELLS = 1 << 21

Estimate = Callable[[Floats], Floats]
"""From weights, resamples × kinds, to one value each; NaN where there is none."""


def bootstrapped(
    estimate: Estimate, items: Integers, *, n: int, width: int, seed: int, nothing: str
) -> Interval:
    """The estimate with its interval when items are drawn again; None where there is none.

    `items` says how many there are of each kind: drawing items is drawing kinds, multinomially.
    `n` of them tell something; `width` is how many columns the estimate needs for a resample,
    so that memory stays bounded; `nothing` is the reason where there is no estimate.
    """
    point = float(estimate(items[None, :].astype(np.float64))[0]) if n else np.nan
    if np.isnan(point):
        return Interval(point=None, low=None, high=None, n=n, method=METHOD, reason=nothing)
    if n == 1:
        return Interval(
            point=point, low=None, high=None, n=1, method=METHOD, reason="one item has no interval"
        )
    values = _replicates(estimate, items, width, seed)
    known = values[~np.isnan(values)]
    if not known.size:
        return Interval(point=point, low=None, high=None, n=n, method=METHOD, reason=nothing)
    low, high = np.percentile(known, [50 * (1 - LEVEL), 50 * (1 + LEVEL)]).tolist()
    return Interval(
        point=point, low=low, high=high, n=n, method=METHOD, reason=_lost(values.size - known.size)
    )


def _replicates(estimate: Estimate, items: Integers, width: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    total = int(items.sum())
    at_once = max(1, _CELLS // max(width, len(items)))
    parts = []
    for start in range(0, RESAMPLES, at_once):
        size = min(at_once, RESAMPLES - start)
        drawn = rng.multinomial(total, items / total, size=size)
        parts.append(estimate(drawn.astype(np.float64)))
    return np.concatenate(parts)


def _lost(count: int) -> str:
    if not count:
        return ""
    return f"{count:,} of {RESAMPLES:,} resamples have no value and are left out"
