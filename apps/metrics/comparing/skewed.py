"""What the sign-flip test takes for granted, asked for: equal means where differences are skewed.

The flips ask whether differences lie symmetrically around 0. A run that is always at 0.9 against
one that is at 1 nine times of ten and else at 0 has the same mean and no such symmetry: over ten
slices of 20 the flips alone give a false verdict 70 times in 100. So a verdict on values also takes

- the t statistic with its skewness taken out, by the monotone cubic of Hall 1992 ("On the removal
  of skewness by transformation"), against Student's t;
- where no group goes the other way by half of the mean, and values lie between 0 and 1: that the
  rest of them, each as far the other way as can be, would not undo the difference. So many of them
  as hide from n groups 95 times in 100 (Clopper and Pearson 1934).

p is the largest of the three, the interval the widest. False verdicts on any of the slices, of
equal means (Holm, simulated): at most 5 in 100 for steady against all-or-nothing runs with pass
rates of .75 to .95, scores in quarters and trials, from one slice of 20 to 30 slices of 25. Limits:
lognormal differences (σ = 1) 6 in 100 for n = 20, 5 for n = 200, 14 over ten slices of 30; nearly
all-or-nothing scores with a mean of .95 against noisy ones (beta(1.9, .1) and beta(19, 1)) 33 over
ten slices of 20, 6 over one. Price: normal differences are found 73 times in 100 where the flips
find them 77 times (n = 20), 76 for 79 (n = 30), 77 for 78 (n = 40).
"""

import numpy as np
from scipy import special

from apps.metrics.arrays import Booleans, Floats, ratio
from apps.metrics.contracts import LEVEL

from .flips import Flipped
from .groups import Groups
from .power import FEWEST

_EXACT = 1e-20
_LEVEL_ENOUGH = 1e-6
"""Less skewness than that bends nothing, and would divide by nearly 0."""
_ROUNDING = 1e-12


def constant(groups: Groups) -> Booleans:
    """Where all groups differ alike, so that there is no spread to judge by."""
    return np.asarray(groups.variance <= _EXACT * groups.means**2)


def widened(found: Flipped, groups: Groups, reach: float | None) -> Flipped:
    """The test and bounds of every cell, with what they must clear besides.

    `reach`: how far a group can go at most, where values have a known range.
    """
    turned, signs = groups.oriented()
    conditions = [_studentised(turned), *([] if reach is None else [_unseen(turned, reach)])]
    p, low, high = found
    for other in conditions:
        p = np.fmax(p, other.p)
        low = np.minimum(low, np.fmin(other.low * signs, other.high * signs))
        high = np.maximum(high, np.fmax(other.low * signs, other.high * signs))
    return Flipped(p, low, high)


def _studentised(groups: Groups) -> Flipped:
    """Of cells without spread p is 0 and the bounds are the mean: nothing is asked of them."""
    same = constant(groups) | (groups.size < FEWEST)
    error = np.where(same, 0, np.sqrt(groups.variance))
    bend, freedom = _bend(groups), np.maximum(groups.size - 1, 1)
    straight = _straight(np.nan_to_num(ratio(groups.means, error)), bend)
    reached: Floats = np.asarray(special.stdtrit(freedom, (1 + LEVEL) / 2), np.float64)
    return Flipped(
        np.where(same, 0, np.minimum(1, 2 * special.stdtr(freedom, -straight))),
        groups.means - error * _bent(reached, bend),
        groups.means - error * _bent(-reached, bend),
    )


def _bend(groups: Groups) -> Floats:
    """The skewness of groups over the root of how many they are."""
    n = np.maximum(groups.size, 3)
    apart = groups.sums - np.nan_to_num(groups.means)[groups.cell] * groups.counts
    spread = np.sqrt(groups.totals(apart**2) / (n - 1))
    third = groups.totals(apart * apart * apart) * n / ((n - 1) * (n - 2))
    return np.nan_to_num(ratio(third, spread**3)) / np.sqrt(n)


def _straight(t: Floats, bend: Floats) -> Floats:
    """Hall's third transformation."""
    return t + bend / 3 * t**2 + bend**2 / 27 * t**3 + bend / 6


def _bent(straight: Floats, bend: Floats) -> Floats:
    """The t of which that is made."""
    some = np.where(np.abs(bend) > _LEVEL_ENOUGH, bend, 1)
    t = 3 / some * (np.cbrt(1 + some * (straight - some / 6)) - 1)
    return np.where(np.abs(bend) > _LEVEL_ENOUGH, t, straight)


def _unseen(groups: Groups, reach: float) -> Flipped:
    """Where groups go the other way p is 0; bounds of the others as far as groups may hide."""
    n, mean = groups.size, groups.means
    against = groups.sums < -(0.5 * np.nan_to_num(mean)[groups.cell] + _ROUNDING) * groups.counts
    seen = (groups.totals(against) > 0) | (n == 0)
    hidden = -np.expm1(np.log(1 - LEVEL) / np.maximum(n, 1))
    p = np.exp(-n * np.log1p(np.nan_to_num(np.minimum(mean, reach)) / reach))
    low = np.where(seen, mean, mean - (mean + reach) * hidden)
    high = np.where(constant(groups), mean + (reach - mean) * hidden, mean)
    return Flipped(np.where(seen, 0, p), low, high)
