"""Do 95 % intervals hold the truth 95 times in 100? Seeded Monte-Carlo, binomial tolerance."""

import numpy as np
import pytest
from scipy import stats

from apps.metrics.arrays import gathered, membership, scaled
from apps.metrics.clusters import effective_size
from apps.metrics.contracts import LEVEL, Interval
from apps.metrics.intervals import mean, percentile, rates

SIMULATIONS = 2000


def coverage(intervals: list[Interval], truth: float) -> float:
    held = [one.low <= truth <= one.high for one in intervals if None not in (one.low, one.high)]  # type: ignore[operator]
    assert len(held) == len(intervals)
    return float(np.mean(held))


def tolerance(simulations: int) -> float:
    """Three standard errors of a proportion of 95 %."""
    return 3 * float(np.sqrt(0.95 * 0.05 / simulations))


# Wilson's coverage swings with n and p, because successes are whole numbers: near p = 0 it falls
# to 84 % for tiny n p, elsewhere it moves by about 1 % around 95. So p stays away from the ends,
# n p is at least 12, and what the simulation must meet is the exact coverage of that n and p,
# which the test also holds within 1.5 % of nominal.
@pytest.mark.parametrize(("n", "p"), [(40, 0.3), (100, 0.5), (200, 0.9), (1000, 0.05)])
def test_wilson_covers(n: int, p: float) -> None:
    hits = np.random.default_rng(11).binomial(n, p, SIMULATIONS)
    every = rates(np.arange(n + 1), np.full(n + 1, n))
    exact = sum(
        float(stats.binom.pmf(k, n, p))
        for k, one in enumerate(every)
        if one.low is not None and one.high is not None and one.low <= p <= one.high
    )

    covered = coverage(rates(hits, np.full(SIMULATIONS, n)), p)

    assert abs(exact - 0.95) < 0.015
    assert abs(covered - exact) < tolerance(SIMULATIONS)


# 60 groups of 8 tries whose own rates are Beta(4, 2): an intraclass correlation of 1/7, so that
# plain Wilson on 480 tries would cover about 83 %.
def test_wilson_covers_clustered_tries() -> None:
    rng = np.random.default_rng(12)
    hits = rng.binomial(8, rng.beta(4, 2, (SIMULATIONS, 60)))
    cells = membership([np.arange(60) + 60 * i for i in range(SIMULATIONS)], 60 * SIMULATIONS)
    tries = np.full(60 * SIMULATIONS, 8.0)
    size = effective_size(
        scaled(cells, hits.ravel().astype(float)), scaled(cells, tries), level=LEVEL
    )
    total = np.full(SIMULATIONS, 480)

    covered = coverage(rates(hits.sum(axis=1), total, effective=size), 4 / 6)
    naive = coverage(rates(hits.sum(axis=1), total), 4 / 6)

    assert abs(covered - 0.95) < tolerance(SIMULATIONS) + 0.01
    assert naive < 0.87


# The percentile bootstrap is a large-sample method: at n = 200 its error is within 1 %.
def test_the_bootstrap_covers_a_mean() -> None:
    rng = np.random.default_rng(13)

    intervals = [mean(rng.beta(5, 2, 200), seed=i) for i in range(600)]

    assert abs(coverage(intervals, 5 / 7) - 0.95) < tolerance(600) + 0.01


def test_the_bootstrap_covers_a_mean_of_groups_of_unequal_size() -> None:
    rng = np.random.default_rng(14)
    intervals = []
    for i in range(600):
        groups = np.repeat(np.arange(80), rng.integers(1, 10, 80))
        values = rng.normal(0.5, 0.2, 80)[groups] + rng.normal(0, 0.1, len(groups))
        intervals.append(mean(values, groups, seed=i))

    assert abs(coverage(intervals, 0.5) - 0.95) < tolerance(600) + 0.01


# Ranks are whole numbers, so an order-statistic interval covers at least 95 %, and exactly what
# the binomial between its ranks says.
@pytest.mark.parametrize(("n", "q"), [(50, 0.5), (200, 0.5), (400, 0.95)])
def test_order_statistics_cover_a_percentile(n: int, q: float) -> None:
    rng = np.random.default_rng(15)
    truth = float(stats.lognorm.ppf(q, 0.6))
    ranks = percentile(np.arange(1, n + 1), q)
    assert ranks.low is not None
    assert ranks.high is not None
    exact = float(stats.binom.cdf(ranks.high - 1, n, q) - stats.binom.cdf(ranks.low - 1, n, q))

    covered = coverage([percentile(rng.lognormal(0, 0.6, n), q) for _ in range(SIMULATIONS)], truth)

    assert 0.95 <= exact < 0.975
    assert abs(covered - exact) < tolerance(SIMULATIONS)


def test_order_statistics_cover_a_percentile_of_clustered_values() -> None:
    rng = np.random.default_rng(16)
    groups = np.repeat(np.arange(80), 5)
    truth = float(stats.norm.ppf(0.5, 0, np.sqrt(2)))

    intervals = [
        percentile(rng.normal(0, 1, 80)[groups] + rng.normal(0, 1, 400), 0.5, groups)
        for _ in range(SIMULATIONS)
    ]

    assert 0.94 < coverage(intervals, truth) < 0.985


def test_identical_tries_are_worth_one_try_each_cluster() -> None:
    hits = np.repeat(np.random.default_rng(17).binomial(1, 0.6, 5000), 6).astype(float)
    every = membership([np.arange(30_000)], 30_000)
    clusters = np.repeat(np.arange(5000), 6)

    size = effective_size(
        gathered(scaled(every, hits), clusters), gathered(every, clusters), level=LEVEL
    )

    assert size[0] == pytest.approx(5000, rel=0.01)
