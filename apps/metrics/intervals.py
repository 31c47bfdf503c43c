"""Estimates with their 95 % intervals: rates, means and percentiles, one or thousands at a time."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import special

from apps.metrics import bootstrap, order_statistics
from apps.metrics.arrays import (
    Floats,
    Integers,
    Matrix,
    finite,
    gathered,
    membership,
    ratio,
    row_sums,
    scaled,
)
from apps.metrics.contracts import LEVEL, Interval

if TYPE_CHECKING:
    import pandas as pd

SEED = 0
_NOTHING = "nothing was observed"


def rate(successes: int, n: int) -> Interval:
    """Wilson's interval of successes among n."""
    return rates([successes], [n])[0]


def mean(
    values: npt.ArrayLike,
    groups: npt.ArrayLike | None = None,
    *,
    records: npt.ArrayLike | None = None,
    seed: int = SEED,
) -> Interval:
    """The mean and its percentile bootstrap; NaN values are not known and do not count.

    `records` names the record of each value: trials average within it first. `groups` names
    what belongs together (a document, a session): whole groups are drawn again, not values.
    """
    import pandas as pd

    table = pd.DataFrame({"value": finite(values)})
    table["record"] = np.arange(len(table)) if records is None else np.asarray(records)
    table["group"] = table["record"] if groups is None else np.asarray(groups)
    known = table.dropna(subset="value")
    averages = known.groupby("record", sort=True).agg({"value": "mean", "group": "first"})
    return means(*_clustered_sums(averages), seed=seed)[0]


def percentile(values: npt.ArrayLike, q: float, groups: npt.ArrayLike | None = None) -> Interval:
    """The q-quantile (0 < q < 1) with its order-statistic interval; NaN values do not count.

    An infinite value is an error: it counts as more than any value that is known.
    """
    floats = np.asarray(values, dtype=np.float64)
    known = ~np.isnan(floats)
    heights = floats[known]
    order = np.argsort(heights, kind="stable")
    codes = None if groups is None else _numbered(np.asarray(groups)[known])[order]
    every = membership([np.arange(len(heights))], len(heights))
    return percentiles(heights[order], every, q, codes)[0]


def rates(
    successes: npt.ArrayLike,
    n: npt.ArrayLike,
    *,
    effective: Floats | None = None,
    nothing: str = _NOTHING,
) -> list[Interval]:
    """Wilson intervals of many cells; `effective` holds their sizes where tries are clustered."""
    hits, tries = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if (hits < 0).any() or (hits > tries).any():
        raise ValueError("successes must lie between 0 and n")
    size = tries if effective is None else effective
    share = ratio(hits, tries)
    lows, highs = wilson(share, size)
    method = "wilson" if effective is None else "wilson, clustered"
    reasons = [_rate_reason(int(m), s, nothing) for m, s in zip(tries, size, strict=True)]
    return _intervals(share, lows, highs, tries, method, reasons)


def wilson(share: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Wilson (1927), with n allowed to be an effective size; NaN where n is 0 or NaN."""
    z = float(special.ndtri((1 + LEVEL) / 2))
    square = ratio(np.full(share.shape, z * z), n)
    center = (share + square / 2) / (1 + square)
    half = np.sqrt(square * (share * (1 - share) + square / 4)) / (1 + square)
    # Exactly 0 and 1 at the ends, where rounding would leave 3e-17.
    low = np.where(share == 0, 0 * center, center - half)
    return low, np.where(share == 1, 1 + 0 * center, center + half)


def means(
    sums: Matrix, counts: Matrix, *, seed: int = SEED, nothing: Sequence[str] = ()
) -> list[Interval]:
    """Means of many cells with percentile bootstrap bounds.

    Shapes: cells × clusters; the sum of the values and how many there are, without zero counts.
    """
    n = row_sums(counts)
    points = ratio(row_sums(sums), n)
    lows, highs = bootstrap.bounds(sums, counts, level=LEVEL, seed=seed)
    if (sums.data >= 0).all():
        lows = np.maximum(lows, 0)  # rounding leads a little below it
    clusters = np.diff(counts.indptr)
    method = "bootstrap" if (clusters == n).all() else "bootstrap, clustered"
    reasons = [
        _mean_reason(int(m), int(c), why)
        for m, c, why in zip(n, clusters, nothing or [_NOTHING] * len(n), strict=True)
    ]
    return _intervals(points, lows, highs, n, method, reasons)


def percentiles(
    ascending: Floats,
    cells: Matrix,
    q: float,
    clusters: Integers | None = None,
    *,
    nothing: str = _NOTHING,
) -> list[Interval]:
    """The q-quantile (linear between neighbours) of many cells with order-statistic intervals.

    Shapes: `cells` is cells × values, `ascending` the values, `clusters` the cluster of each.
    Clustered values use their effective size (Woodruff 1952). Trials are not averaged: a mean of
    latencies would hide the slow call that a percentile looks for. Of infinite values, which are
    errors, the quantile and the bounds that fall among them are None.
    """
    ordered = cells.sorted_indices()
    n = np.diff(ordered.indptr).astype(np.float64)
    points = order_statistics.quantiles(ascending, ordered, q)
    size = n
    if clusters is not None:
        size = order_statistics.effective_sizes(points, ascending, ordered, clusters, level=LEVEL)
    lows, highs = order_statistics.bounds(ascending, ordered, q, size, level=LEVEL)
    method = "order statistics" if clusters is None else "order statistics, clustered"
    absent = zip(n, size, np.isnan(lows), np.isnan(highs), strict=True)
    few = [_percentile_reason(int(m), worth, q, gone, nothing) for m, worth, *gone in absent]
    errors = row_sums(scaled(ordered, np.isinf(ascending).astype(np.float64)))
    among = [_among_errors(*cell, q) for cell in zip(points, highs, errors, n, strict=True)]
    reasons = [of_errors or of_few for of_errors, of_few in zip(among, few, strict=True)]
    return _intervals(points, lows, highs, n, method, reasons)


def _intervals(
    points: Floats,
    lows: Floats,
    highs: Floats,
    n: Floats,
    method: str,
    reasons: Sequence[str],
) -> list[Interval]:
    cells = zip(points, lows, highs, n, reasons, strict=True)
    return [
        Interval(
            point=_or_none(point),
            low=_or_none(low),
            high=_or_none(high),
            n=int(size),
            method=method,
            reason=reason,
        )
        for point, low, high, size, reason in cells
    ]


def _or_none(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _numbered(names: npt.ArrayLike) -> Integers:
    return np.unique(np.asarray(names), return_inverse=True)[1].astype(np.int64)


def _clustered_sums(averages: "pd.DataFrame") -> tuple[Matrix, Matrix]:
    every = membership([np.arange(len(averages))], len(averages))
    groups = _numbered(averages["group"].to_numpy())
    values = averages["value"].to_numpy(dtype=np.float64)
    return gathered(scaled(every, values), groups), gathered(every, groups)


def _rate_reason(n: int, size: float, nothing: str) -> str:
    if n == 0:
        return nothing
    return f"all {n:,} tries come from one record or group: no interval" if np.isnan(size) else ""


def _mean_reason(n: int, clusters: int, nothing: str) -> str:
    if n == 0:
        return nothing
    if n == 1:
        return "one value has no interval"
    return f"all {n:,} values come from one record or group: no interval" if clusters < 2 else ""


def _percentile_reason(n: int, size: float, q: float, missing: Sequence[bool], nothing: str) -> str:
    if n == 0:
        return nothing
    if np.isnan(size):
        return f"all {n:,} values come from one record or group: no interval"
    bounds = [
        f"{bound} bound of p{q * 100:g} takes {order_statistics.needed(tail, level=LEVEL):,}"
        for bound, tail, absent in zip(("a lower", "an upper"), (1 - q, q), missing, strict=True)
        if absent
    ]
    worth = f"{n:,}" if size == n else f"{n:,} worth {int(size):,}"
    return f"{' and '.join(bounds)} independent values, here are {worth}" if bounds else ""


def _among_errors(point: float, high: float, errors: float, n: float, q: float) -> str:
    if not (math.isinf(point) or math.isinf(high)):
        return ""
    what = "" if math.isinf(point) else "the upper bound of "
    some = f"{int(errors):,} of {int(n):,}"
    return f"{what}p{q * 100:g} falls among the {some} that ended with an error"
