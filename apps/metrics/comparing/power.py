"""How small a difference so many pairs show, and how many pairs a difference takes.

n = (t + t')² (d - δ²) / δ², for the paired difference δ of which d is the mean square: the variance
of a pair's difference is d - δ² (Miller 2024, arXiv 2411.00640, section 5; for pass and fail Connor
1987, where d is the share of pairs that change). t and t' are Student's quantiles of 0.975 (for one
test at 0.05) and 0.8; for pass and fail the normal ones. Below 200 pairs of pass and fail, where
that formula promises more than the exact test keeps (.51 to .74), the power is McNemar's own.
"""

import math
from functools import lru_cache

import numpy as np
from scipy import special

from apps.metrics.arrays import Integers
from apps.metrics.contracts import LEVEL, TOO_FEW
from apps.metrics.planned import POWER, Needed

FEWEST = 6
"""Pairs, or groups, that must differ before any exact test can come below 0.05: 2 / 2⁶ = .03."""
_FORMULA = 200
"""Pairs of pass and fail, from which on the formula is near enough: 76 to 78 % in place of 80."""
_HALVINGS = 24


def detectable(
    discordance: float, n: float, *, binary: bool = False, tests: int = 1
) -> float | None:
    """The smallest difference that n independent pairs show with power 0.8; None without pairs.

    `discordance`: the mean squared difference of a pair. Where it is 0, what it may be all the
    same: 3 / n, by the rule of three (for values from 0 to 1). `binary`: then the share of pairs
    that change is never below the difference itself, and None where not even a change of all shows.
    `tests`: how many there are in the family,
    for Holm's first step.
    """
    if n <= 0:
        return None
    spread = discordance if discordance > 0 else min(1.0, 3 / n)
    if binary and n < _FORMULA:
        return _exactly(spread, int(n), tests)
    square = _square(tests, math.inf if binary else n)
    ratio = square / (n + square)
    found = math.sqrt(spread * ratio)
    return max(found, ratio) if binary else found


def needed(difference: float, discordance: float, *, binary: bool = True) -> Needed:
    """How many pairs show a difference with power 0.8 at 0.05; at least 20, as any verdict takes.

    `binary`: a difference of δ means that at least δ of the pairs change, so a lower discordance
    counts as that.
    """
    wanted = abs(difference)
    least = wanted if binary else wanted**2
    spread = max(discordance, least)
    if wanted == 0:
        return _never(0, discordance, "no number of records shows a difference of 0")
    if binary and wanted > 1:
        return _never(
            wanted, discordance, "pass rates cannot differ by more than 1, which is 100 points"
        )
    n = math.ceil(_square(1, math.inf) * (spread - wanted**2) / wanted**2 - 1e-9)
    n = max(n, TOO_FEW)
    while (detectable(spread, n, binary=binary) or 0) > wanted * (1 + 1e-6):
        n += 1
    return Needed(difference=wanted, discordance=spread, n=n)


def _square(tests: int, n: float) -> float:
    tail = (1 - LEVEL) / (2 * max(tests, 1))
    freedom = min(max(n - 1, 1), 1e9)
    return float(special.stdtrit(freedom, 1 - tail) + special.stdtrit(freedom, POWER)) ** 2


@lru_cache(maxsize=10_000)
def _exactly(discordance: float, n: int, tests: int) -> float | None:
    """The difference of pass rates that McNemar's exact test shows in 4 of 5 samples; where so few
    changes never show, more of them, all one way. None where not even all of n would show."""
    if _shown(1.0, 1.0, n, tests) < POWER:
        return None
    few = _shown(discordance, discordance, n, tests) < POWER
    low, high = (discordance, 1.0) if few else (0.0, discordance)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        enough = _shown(middle, middle if few else discordance, n, tests) >= POWER
        low, high = (low, middle) if enough else (middle, high)
    return high


def _shown(difference: float, discordance: float, n: int, tests: int) -> float:
    """The exact power: over how many pairs change, how many of these get better."""
    changed, most = (each[: n + 1] for each in _rejected(tests))
    better = min(1.0, (1 + difference / discordance) / 2)
    below = special.bdtr(changed, n, min(1.0, discordance))
    chance = np.diff(below, prepend=0.0)
    shown = np.where(most >= 0, special.bdtr(np.maximum(most, 0), changed, 1 - better), 0)
    return float((chance * shown).sum())


@lru_cache(maxsize=1000)
def _rejected(tests: int) -> tuple[Integers, Integers]:
    """For each number of changed pairs, how many may get worse and p still be at most 0.05 / tests;
    -1 where none may."""
    tail = (1 - LEVEL) / (2 * max(tests, 1))
    changed = np.arange(_FORMULA)
    rare = special.bdtr(changed, changed[:, None], 0.5) <= tail
    return changed, np.count_nonzero(rare, axis=1) - 1


def _never(difference: float, discordance: float, reason: str) -> Needed:
    return Needed(difference=difference, discordance=discordance, n=None, reason=reason)
