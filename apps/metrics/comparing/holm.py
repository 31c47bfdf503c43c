"""Many tests at once."""

import numpy as np

from apps.metrics.arrays import Floats


def holm(p: Floats) -> Floats:
    """Adjusted p of each test, so that 0.05 holds for all of them together; NaN is no test.

    Holm 1979, "A simple sequentially rejective multiple test procedure".
    """
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    left = np.arange(len(order), 0, -1)
    adjusted = np.full(len(p), np.nan)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * left))
    return adjusted
