"""The difference of two runs in every cell: its test and its interval."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from apps.metrics.arrays import Booleans, Floats, ratio
from apps.metrics.contracts import LEVEL

from .flips import FEW, MANY, Flipped, Flips
from .groups import Groups
from .observed import Observed
from .power import FEWEST
from .proportions import mcnemar, tango
from .sides import NOTHING
from .skewed import constant, widened


@dataclass(frozen=True)
class Tested:
    """Of each cell, in the unit of the observed values; NaN where there is none.

    `without` says why where a bound is missing.
    """

    p: Floats
    low: Floats
    high: Floats
    test: list[str]
    method: list[str]
    without: list[str]


def tested(observed: Observed, *, binary: bool, flips: Flips, shares: bool) -> Tested:
    """p and bounds of every cell; `shares`: values are known to lie between 0 and 1.

    Pass and fail where no group repeats: exact McNemar, Tango's interval. Pass and fail in groups:
    sign flip of groups, Tango's interval for as many independent pairs as they are worth. Else
    sign flip, and what `skewed` asks for besides.
    """
    groups = observed.change
    plain = binary & ~groups.repeats
    reach = 1 / observed.unit if shares else None
    p, low, high = _of_passes(observed, flips) if binary else _of_values(observed, flips, reach)
    alone = groups.size < 2
    bounded = ~(alone | groups.dominated | np.isnan(low) | np.isnan(high))
    bounded &= plain | (groups.size >= FEWEST)
    return Tested(
        p=np.where(alone, np.nan, p),
        low=np.where(bounded, low, np.nan),
        high=np.where(bounded, high, np.nan),
        test=[_test(*each) for each in zip(plain, groups.differing, groups.repeats, strict=True)],
        method=_methods(groups, binary=binary, shares=shares),
        without=_without(groups, bounded),
    )


def _of_passes(observed: Observed, flips: Flips) -> Flipped:
    groups, p = observed.change, mcnemar(observed.up, observed.down)
    if groups.repeats.any():
        p = np.where(groups.repeats, flips.of(groups).p, p)
    share = ratio(_effective(observed), groups.n)
    return Flipped(p, *tango(observed.up * share, observed.down * share, groups.n * share))


def _effective(observed: Observed) -> Floats:
    """The number of independent pairs of the same precision, as `metrics.clusters` has it."""
    groups = observed.change
    if not groups.repeats.any():
        return groups.n
    single = observed.discordance - groups.means**2
    tail = (1 + LEVEL) / 2
    penalty = (special.ndtri(tail) / special.stdtrit(np.maximum(groups.size - 1, 1), tail)) ** 2
    size = np.fmin(ratio(single, groups.variance) * penalty, groups.n)
    size = np.where(single > 0, size, groups.size)
    return np.where(groups.repeats, size, groups.n)


def _of_values(observed: Observed, flips: Flips, reach: float | None) -> Flipped:
    """Where hardly a group differs: as far as the others could, by the range of all values."""
    groups = observed.change
    p, low, high = widened(flips.of(groups), groups, reach)
    rare = groups.differing < FEWEST
    up, down = groups.totals(groups.sums > 0), groups.totals(groups.sums < 0)
    seen = observed.range or np.nan
    low = np.where(rare, -seen * _at_most(down, groups.size), low)
    high = np.where(rare, seen * _at_most(up, groups.size), high)
    unknown = constant(groups) & ~rare & (reach is None)
    return Flipped(p, np.where(unknown, np.nan, low), high)


def _at_most(hits: Floats, n: Floats) -> Floats:
    """The upper bound of Clopper and Pearson 1934 for a share."""
    bound = special.betaincinv(hits + 1, np.maximum(n - hits, 1), (1 + LEVEL) / 2)
    return np.where(hits < n, bound, 1.0)


def _test(plain: bool, differing: float, repeats: bool) -> str:
    if plain:
        return "exact McNemar"
    name = "sign flip of groups" if repeats else "sign flip"
    if differing <= FEW:
        return f"{name}, all patterns"
    return f"{name}, random patterns" if differing <= MANY else f"{name}, normal limit"


def _methods(groups: Groups, *, binary: bool, shares: bool) -> list[str]:
    names = ["tango"] * groups.cells if binary else _of_value_methods(groups, shares)
    cells = zip(names, groups.repeats, strict=True)
    return [name + (", clustered" if repeats else "") for name, repeats in cells]


def _of_value_methods(groups: Groups, shares: bool) -> list[str]:
    by_range = (groups.differing < FEWEST) | (constant(groups) & shares)
    return ["range of the values" if each else "sign flip" for each in by_range]


def _without(groups: Groups, bounded: Booleans) -> list[str]:
    if bounded.all():
        return [""] * groups.cells
    cells = zip(groups.n, groups.size, constant(groups), bounded, strict=True)
    return ["" if there else _why(int(n), int(size), same) for n, size, same, there in cells]


def _why(n: int, size: int, same: bool) -> str:
    if n == 0:
        return NOTHING
    if n == 1:
        return "one record has no interval"
    if size < 2:
        return f"all {n:,} records belong to one group: no interval"
    if size < FEWEST:
        return f"{size} independent groups are too few for an interval: it takes {FEWEST}"
    if same:
        return "the difference is the same on every record: nothing to make an interval of"
    return "one group holds most of the records: no interval"
