"""The tests behind a comparison: textbook values, and what others compute of the same numbers."""

import math

import numpy as np
import pytest
from scipy import stats

from apps.metrics.comparing import Measure
from apps.metrics.comparing.flips import Flips
from apps.metrics.comparing.groups import grouped
from apps.metrics.comparing.holm import holm
from apps.metrics.comparing.proportions import mcnemar, tango

from .two_runs import by_slice, whole

NAN = float("nan")


def row(*counts: float) -> list[np.ndarray]:
    return [np.array([count]) for count in map(float, counts)]


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [
        (8, 1, 0.0390625),
        (6, 16, 0.052479),  # Cavo 2012, in Fagerland, Lydersen and Laake 2017, chapter 8
        (6, 0, 0.03125),
        (5, 0, 0.0625),
        (0, 0, 1),
        (7, 7, 1),
    ],
)
def test_the_exact_test_gives_the_textbook_values(better: int, worse: int, p: float) -> None:
    assert mcnemar(*row(better, worse))[0] == pytest.approx(p, abs=1e-6)


def test_the_exact_test_agrees_with_the_binomial_test_of_scipy() -> None:
    better, worse = (side.ravel().astype(float) for side in np.mgrid[0:30, 0:30])

    p = mcnemar(better, worse)

    changed = np.stack([better, better + worse], axis=1).astype(int)
    expected = [stats.binomtest(b, m).pvalue if m else 1 for b, m in changed.tolist()]
    assert p == pytest.approx(expected)


def test_one_more_of_either_says_nothing_at_all() -> None:
    fewer = np.arange(2000.0)

    assert (mcnemar(fewer + 1, fewer) == 1).all()
    assert (mcnemar(fewer, fewer) == 1).all()


def test_mcnemar_is_the_binomial_tail_doubled() -> None:
    worse, better = np.meshgrid(np.arange(0.0, 300, 7), np.arange(2.0, 900, 11))
    apart = better > worse + 1
    tail = stats.binom.cdf(worse, better + worse, 0.5)

    assert mcnemar(better, worse)[apart] == pytest.approx(2 * tail[apart], rel=1e-12, abs=0)


@pytest.mark.parametrize(
    ("better", "worse", "n", "low", "high"),
    [
        # Fagerland, Lydersen and Laake 2014 and 2017: Bentur 2009 and Cavo 2012.
        (1, 7, 21, -0.517, -0.026),
        (6, 16, 161, -0.1240, -0.0054),
    ],
)
def test_tango_gives_the_published_intervals(
    better: int, worse: int, n: int, low: float, high: float
) -> None:
    found = [float(bound[0]) for bound in tango(*row(better, worse, n))]

    printed = 6e-5 if n > 100 else 6e-4
    assert found == [pytest.approx(low, abs=printed), pytest.approx(high, abs=printed)]


def test_the_bounds_of_tango_are_where_the_score_is_the_normal_quantile() -> None:
    b, c, n = 12.0, 5.0, 217.0
    high = float(tango(*row(b, c, n))[1][0])
    # Maximum likelihood under p12 - p21 = high, found by brute force.
    shares = np.linspace(1e-9, (1 - high) / 2 - 1e-9, 2_000_001)
    likelihood = (
        b * np.log(shares + high) + c * np.log(shares) + (n - b - c) * np.log(1 - high - 2 * shares)
    )
    share = shares[np.nanargmax(likelihood)]

    score = (b - c - n * high) / math.sqrt(n * (2 * share + high - high**2))

    assert score == pytest.approx(-1.959964, abs=1e-4)


def test_without_any_change_the_interval_is_as_wide_as_it_was_for_one_that_could_change() -> None:
    low, high = tango(*row(0, 0, 100))

    # z² / (n + z²), Tango 1998.
    assert (low[0], high[0]) == (pytest.approx(-0.0369935), pytest.approx(0.0369935))


def test_holm_gives_the_textbook_values() -> None:
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_counts_no_test_that_was_not_made() -> None:
    adjusted = holm(np.array([0.01, NAN, 0.03]))

    assert adjusted[[0, 2]] == pytest.approx([0.02, 0.03])
    assert math.isnan(adjusted[1])


# lm-evaluation-harness #3831 and #3868: n = 220, unpaired p = .080, paired .008.
def test_a_paired_test_sees_what_an_unpaired_one_misses() -> None:
    before = np.repeat([0.0, 1.0, 1.0, 0.0], [30, 12, 109, 69])
    after = np.repeat([1.0, 0.0, 1.0, 0.0], [30, 12, 109, 69])
    variance = sum(side.mean() * (1 - side.mean()) / 220 for side in (before, after))
    unpaired = 2 * stats.norm.sf((after.mean() - before.mean()) / math.sqrt(variance))

    found = whole(Measure("acc", before, after, binary=True))

    assert unpaired == pytest.approx(0.080, abs=5e-4)
    assert found.p == pytest.approx(0.008, abs=5e-4)
    assert (found.verdict, found.test) == ("better", "exact McNemar")


# Fisher 1935 on Darwin's maize, 15 pairs: 1,726 of 32,768 patterns are as far, p = .0527.
def test_the_sign_flip_gives_the_p_of_fisher() -> None:
    heights = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    plants = grouped(1, np.zeros(15, np.int64), np.array(heights, dtype=float), np.ones(15))

    found = Flips(1).of(plants)

    assert found.p[0] == pytest.approx(1726 / 32768, abs=0.005)
    assert plants.means[0] == pytest.approx(314 / 15)


def test_few_pairs_try_every_pattern() -> None:
    rng = np.random.default_rng(1)
    before, after = rng.random(9), rng.random(9) + 0.2

    found = whole(Measure("score", before, after))

    expected = stats.permutation_test(
        (after - before,), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert found.p == pytest.approx(expected.pvalue)
    assert found.test == "sign flip, all patterns"


@pytest.mark.parametrize(("n", "test"), [(80, "random patterns"), (600, "normal limit")])
def test_more_pairs_agree_with_the_permutations_of_scipy(n: int, test: str) -> None:
    rng = np.random.default_rng(11)
    before = rng.random(n)
    after = before + rng.normal(0.3 / math.sqrt(n), 0.15, n)

    found = whole(Measure("score", before, after))

    expected = stats.permutation_test(
        (after - before,), np.mean, permutation_type="samples", n_resamples=4_999, rng=3
    )
    assert 0.001 < expected.pvalue < 0.2
    assert found.p == pytest.approx(expected.pvalue, abs=0.015)
    assert found.test == f"sign flip, {test}"


def test_an_interval_of_means_agrees_with_the_bootstrap_of_scipy() -> None:
    rng = np.random.default_rng(3)
    before = rng.random(300)
    after = before + rng.normal(0.05, 0.2, 300)
    expected = stats.bootstrap((after - before,), np.mean, method="BCa", rng=4).confidence_interval

    interval = whole(Measure("score", before, after)).difference

    width = expected.high - expected.low
    assert interval.low == pytest.approx(expected.low, abs=0.06 * width)
    assert interval.high == pytest.approx(expected.high, abs=0.06 * width)


@pytest.mark.parametrize("n", [7, 40, 400])
def test_p_and_interval_of_means_never_contradict_each_other(n: int) -> None:
    rng = np.random.default_rng(5)
    shifts = np.linspace(-3, 3, 25) / math.sqrt(n)
    values = rng.normal(0, 1, (25, n)) + shifts[:, None]

    found = by_slice(
        Measure("score", np.zeros(25 * n), values.ravel()),
        {str(i): np.arange(n) + i * n for i in range(25)},
    )

    for one in found:
        assert one.p is not None
        assert one.difference.low is not None
        assert one.difference.high is not None
        assert (one.p > 0.05) == (one.difference.low <= 0 <= one.difference.high)


def test_the_exact_test_never_says_yes_where_the_interval_says_no() -> None:
    worse = np.concatenate([np.arange(m // 2 + 1) for m in range(1, 400)]).astype(float)
    changed = np.repeat(np.arange(1, 400), [m // 2 + 1 for m in range(1, 400)])

    low, _ = tango(changed - worse, worse, np.full(len(worse), 1000.0))

    assert (low[mcnemar(changed - worse, worse) <= 0.05] > 0).all()
