"""pass@k and pass^k: of k tries of a record, how likely is it that one passes, or that all do."""

import numpy as np

from apps.metrics.arrays import Floats, ratio


def pass_at_k(tries: Floats, passed: Floats, k: int) -> Floats:
    """1 - C(n - c, k) / C(n, k) per record, with c of n tries passed; NaN where n is below k.

    The chance that at least one of k tries passes, without bias (Chen et al. 2021,
    arXiv 2107.03374, equation 1).
    """
    return 1 - _all_drawn(tries, tries - passed, k)


def pass_hat_k(tries: Floats, passed: Floats, k: int) -> Floats:
    """C(c, k) / C(n, k) per record, with c of n tries passed; NaN where n is below k.

    The chance that all of k tries pass, without bias (Yao et al. 2024, tau-bench,
    arXiv 2406.12045, section 4).
    """
    return _all_drawn(tries, passed, k)


def _all_drawn(tries: Floats, marked: Floats, k: int) -> Floats:
    """The chance that k of n, drawn without putting back, are all among the m that are marked."""
    share = np.ones(len(tries))
    for drawn in range(k):
        share = share * ratio(np.maximum(marked - drawn, 0), tries - drawn)
    return np.where(tries < k, np.nan, share)
