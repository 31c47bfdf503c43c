"""Ranks of runs with the ties that no test breaks, in place of false ranks; imports scipy."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from apps.metrics.arrays import Booleans, Floats, Integers
from apps.metrics.comparing.flips import Flips
from apps.metrics.comparing.groups import Groups, grouped
from apps.metrics.comparing.holm import holm
from apps.metrics.comparing.pairs import changes, in_shares
from apps.metrics.comparing.proportions import mcnemar
from apps.metrics.comparing.skewed import constant, widened
from apps.metrics.contracts import LEVEL, TOO_FEW, Interval
from apps.metrics.ranked import Ranked


@dataclass(frozen=True)
class Tests:
    """Every two runs, tested: `ahead[i, j]` where run i is better than run j beyond chance.

    `p` is as the tests say it, symmetric, with 1 on the diagonal and where there is no test: below
    20 shared records, or where one group holds most of them.
    """

    p: Floats
    ahead: Booleans


def rank(
    values: Floats,
    clusters: Integers,
    names: Sequence[str],
    intervals: Sequence[Interval],
    *,
    higher_is_better: bool = True,
    seed: int = 0,
) -> tuple[Ranked, ...]:
    """The runs, the best estimate first, each with the ranks it may have.

    Shapes: values runs × records, NaN where a run has none; `clusters` says of each record, as a
    number from 0, what it is drawn together with. `first` is 1 + the runs that a test finds better,
    `last` the number of runs less those that one finds worse. `group`: the best run opens the
    first, and everyone whom no test finds worse than it is in it; the best of the rest opens the
    next. A run may be tied with members of two groups: its group is the first that it fits, and
    `first` and `last` tell the rest.
    """
    tests = every_pair(values, clusters, higher_is_better=higher_is_better, seed=seed)
    order = _best_first(intervals, higher_is_better)
    groups = _groups(order, tests.ahead)
    return tuple(
        Ranked(
            run=names[run],
            estimate=intervals[run],
            first=1 + int(tests.ahead[:, run].sum()),
            last=len(names) - int(tests.ahead[run].sum()),
            group=groups[run],
        )
        for run in order
    )


def every_pair(
    values: Floats, clusters: Integers, *, higher_is_better: bool = True, seed: int = 0
) -> Tests:
    """Every pair on the records that both have a value for, Holm (1979) over all pairs.

    As comparisons of two runs are tested: where values are 0 and 1 and no two records belong
    together, McNemar's exact test; else flipping the signs of whole clusters' differences, and for
    values what `comparing.skewed` asks besides. Below 20 shared records two runs are tied.
    """
    first, second = _every_two(len(values))
    gains = changes(values[second], values[first]) * (1 if higher_is_better else -1)
    enough = (~np.isnan(gains)).sum(axis=1) >= TOO_FEW
    shares = higher_is_better and in_shares(values)
    p = np.where(enough, _p_values(gains, values, clusters, seed, shares), np.nan)
    sure = holm(p) <= 1 - LEVEL
    totals = np.nan_to_num(gains).sum(axis=1)
    alike, ahead = np.ones((2, len(values), len(values)))
    alike[first, second] = alike[second, first] = np.nan_to_num(p, nan=1.0)
    ahead[first, second], ahead[second, first] = sure & (totals > 0), sure & (totals < 0)
    np.fill_diagonal(ahead, 0)
    return Tests(p=alike, ahead=ahead.astype(np.bool_))


def _every_two(runs: int) -> tuple[Integers, Integers]:
    pairs = np.array(list(combinations(range(runs), 2)), dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _p_values(gains: Floats, values: Floats, clusters: Integers, seed: int, shares: bool) -> Floats:
    """NaN where one group holds most of the records of two runs: nothing can be said there."""
    known = values[~np.isnan(values)]
    codes = np.unique(clusters, return_inverse=True)[1]
    binary = bool(np.isin(known, (0.0, 1.0)).all())
    if binary and len(np.unique(codes)) == len(codes):
        return mcnemar((gains > 0).sum(axis=1), (gains < 0).sum(axis=1))
    groups = _groups_of(gains, codes)
    found = Flips(seed).of(groups)
    reach = 1.0 if shares else None
    p = found.p if binary else widened(found, groups, reach).p
    silent = groups.dominated | (constant(groups) & (not shares) & (not binary))
    return np.where(silent, np.nan, p)


def _groups_of(gains: Floats, codes: Integers) -> Groups:
    """A cell for each pair of runs, in it the clusters of which both have a record."""
    width = int(codes.max(initial=-1)) + 1
    pair, record = np.nonzero(~np.isnan(gains))
    place = pair * width + codes[record]
    size = len(gains) * width
    counts = np.bincount(place, minlength=size).astype(np.float64)
    sums = np.bincount(place, weights=gains[pair, record], minlength=size)
    held = np.flatnonzero(counts)
    return grouped(len(gains), held // max(width, 1), np.round(sums[held], 12), counts[held])


def _best_first(intervals: Sequence[Interval], higher_is_better: bool) -> list[int]:
    """Positions of the runs; those without an estimate come last."""

    def key(run: int) -> tuple[bool, float, int]:
        point = intervals[run].point
        height = 0.0 if point is None else point
        return point is None, -height if higher_is_better else height, run

    return sorted(range(len(intervals)), key=key)


def _groups(order: Sequence[int], ahead: Booleans) -> dict[int, int]:
    groups: dict[int, int] = {}
    number = 0
    for best in order:
        if best in groups:
            continue
        number += 1
        tied = (run for run in order if run not in groups and not ahead[best, run])
        groups |= dict.fromkeys(tied, number)
    return groups
