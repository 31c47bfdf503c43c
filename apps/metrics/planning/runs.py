"""How many runs it takes to see a trend."""

from apps.metrics.contracts import LEVEL, Interval
from apps.metrics.planned import POWER

FEWEST = 3
MOST = 1000


def runs_for_slope(slope: Interval, change: float) -> int | None:
    """How many runs in a row show a slope of `change` a run with power 0.8 at 0.05.

    If values scatter around their line as those behind `slope` do. With so many runs a step apart
    the slope has the variance 12 s² / (n (n² - 1)); it is seen where |change| is (t + t') of its
    standard errors, with Student's t of n - 2 degrees for both tails and for the power (Dupont and
    Plummer 1998, Controlled Clinical Trials 19, 589). None where `slope` has no interval, and where
    no 1,000 runs are enough.
    """
    if slope.low is None or slope.high is None or not FEWEST <= slope.n <= MOST:
        return None
    import numpy as np
    from scipy import stats

    tail = (1 + LEVEL) / 2
    runs = np.arange(FEWEST, MOST + 1)
    t, power = (np.asarray(stats.t.ppf(share, runs - 2)) for share in (tail, POWER))
    squares = runs * (runs**2 - 1) / 12  # of the places around their middle
    behind = slope.n - FEWEST
    half = (slope.high - slope.low) / 2
    scatter = half / float(t[behind]) * float(squares[behind]) ** 0.5
    enough = runs[(t + power) * scatter <= change * np.sqrt(squares)]
    return int(enough[0]) if len(enough) else None
