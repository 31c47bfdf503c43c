"""Do the intervals of differences hold the truth 95 times in 100, and how often is a verdict false?

Seeded simulations. The tolerance is three standard errors of what so many simulations can show,
and what each test says on top.
"""

import numpy as np
import pytest

from apps.metrics.arrays import Floats
from apps.metrics.compared import Difference
from apps.metrics.comparing import Measure, compare
from apps.metrics.comparing.holm import holm

from .two_runs import pairs_of, simulated

SIMULATIONS = 2000


def tolerance(share: float, simulations: int = SIMULATIONS) -> float:
    return 3 * float(np.sqrt(share * (1 - share) / simulations))


def coverage(found: list[Difference], truth: float) -> float:
    intervals = [each.difference for each in found]
    held = [
        one.low - 1e-9 <= truth <= one.high + 1e-9
        for one in intervals
        if one.low is not None and one.high is not None
    ]
    assert len(held) >= 0.98 * len(found)
    return float(np.mean(held))


def side_coverage(found: list[Difference], truth: float) -> float:
    return float(np.mean([(e.baseline.low or 0) <= truth <= (e.baseline.high or 0) for e in found]))


def rejected(found: list[Difference]) -> float:
    return float(np.mean([one.p is not None and one.p <= 0.05 for one in found]))


def changed(
    rng: np.random.Generator, n: int, discordance: float, difference: float
) -> tuple[Floats, Floats]:
    """Simulations × n passes and fails, of which so many change."""
    luck = rng.random((SIMULATIONS, n))
    better = luck < (discordance + difference) / 2
    worse = ~better & (luck < discordance)
    before = np.where(better | worse, worse, rng.random((SIMULATIONS, n)) < 0.7)
    return before.astype(float), (before + better.astype(float) - worse).astype(float)


# Numbers of changed records are whole, so coverage swings: below 4 expected changes it rises to
# 99 % and more, and where all change one way it falls to 93 % (n = 100, 30 of 30: 93.2 %).
@pytest.mark.parametrize(
    ("n", "discordance", "difference"),
    [
        (20, 0.3, 0.0),
        (40, 0.1, 0.05),
        (100, 0.05, 0.0),
        (100, 0.3, 0.15),
        (217, 0.1, 0.1),
        (217, 0.3, 0.0),
        (1000, 0.02, 0.01),
    ],
)
def test_tango_covers_the_difference_of_pass_rates(
    n: int, discordance: float, difference: float
) -> None:
    before, after = changed(np.random.default_rng(41), n, discordance, difference)

    found = simulated(before, after, binary=True)

    assert abs(coverage(found, difference) - 0.95) < tolerance(0.95) + 0.01


@pytest.mark.parametrize(("n", "discordance"), [(20, 0.05), (100, 0.02), (500, 0.002)])
def test_tango_covers_more_often_where_hardly_a_record_changes(n: int, discordance: float) -> None:
    before, after = changed(np.random.default_rng(42), n, discordance, 0)

    assert coverage(simulated(before, after, binary=True), 0) > 0.95


@pytest.mark.parametrize("n", [6, 8, 20, 50, 400])
def test_the_sign_flip_covers_a_normal_difference_at_any_size(n: int) -> None:
    before = np.random.default_rng(43).normal(0, 1, (2, SIMULATIONS, n))

    found = simulated(before[0], before[1] + 0.3)

    # The quantile between 64 patterns is a whole number of them: 96.9 % for six pairs.
    exact = 1 - 2 / 64 if n == 6 else 0.95
    assert abs(coverage(found, 0.3) - exact) < tolerance(0.95) + 0.003


# A scale that differs between the runs makes differences skewed: latencies half as long again.
@pytest.mark.parametrize(("n", "lowest"), [(20, 0.925), (50, 0.935), (400, 0.94)])
def test_the_sign_flip_covers_the_difference_of_latencies(n: int, lowest: float) -> None:
    rng = np.random.default_rng(44)
    before = rng.lognormal(0, 0.5, (SIMULATIONS, n))
    after = 1.3 * before**0.5 * rng.lognormal(0, 0.4, (SIMULATIONS, n))
    truth = 1.3 * np.exp(0.5**2 / 8 + 0.4**2 / 2) - np.exp(0.5**2 / 2)

    covered = coverage(simulated(before, after), float(truth))

    assert lowest - tolerance(0.95) < covered < 0.95 + tolerance(0.95) + 0.01


# As skewed as it gets: one run constant, the other exponential. The percentile bootstrap gives
# 90, 94, 93.5 and 93.5 %.
@pytest.mark.parametrize(("n", "lowest"), [(20, 0.91), (50, 0.925), (200, 0.935), (400, 0.94)])
def test_the_sign_flip_undercovers_extreme_skew_by_no_more_than_it_says(
    n: int, lowest: float
) -> None:
    before = np.random.default_rng(45).exponential(1, (SIMULATIONS, n))

    covered = coverage(simulated(before, np.ones_like(before)), 0)

    assert lowest - 0.01 < covered < 0.95 + tolerance(0.95)


# Most records keep their score to the last digit: 15 % change, by thirds.
@pytest.mark.parametrize(("n", "share"), [(200, 0.15), (1000, 0.05)])
def test_the_sign_flip_covers_where_most_records_stay_as_they_are(n: int, share: float) -> None:
    rng = np.random.default_rng(46)
    steps = rng.choice([-1 / 3, 1 / 3, 2 / 3], (SIMULATIONS, n))
    before = rng.random((SIMULATIONS, n))
    moved = rng.random((SIMULATIONS, n)) < share

    found = simulated(before, before + moved * steps)

    assert abs(coverage(found, share * 2 / 9) - 0.95) < tolerance(0.95) + 0.01


def grouped(
    rng: np.random.Generator, groups: int, most: int, spread: float
) -> tuple[Floats, Floats]:
    """Simulations × records: which group each is in, and what its group adds; sizes are unequal."""
    sizes = rng.integers(1, most + 1, groups)
    index = np.repeat(np.arange(groups), sizes)
    effect = rng.normal(0, spread, (SIMULATIONS, groups))[:, index]
    return np.broadcast_to(index, effect.shape), effect


# Half of the variance is the group's: an intraclass correlation of .5.
@pytest.mark.parametrize("groups", [8, 20, 60, 300])
def test_the_sign_flip_covers_where_records_come_in_groups(groups: int) -> None:
    rng = np.random.default_rng(47)
    index, effect = grouped(rng, groups, 8, 1)
    after = 0.2 + effect + rng.normal(0, 1, effect.shape)

    found = simulated(np.zeros_like(after), after, index)

    assert abs(coverage(found, 0.2) - 0.95) < tolerance(0.95) + 0.005
    assert found[0].difference.method == "sign flip, clustered"


def flipping(rng: np.random.Generator, groups: int, difference: float) -> tuple[Floats, ...]:
    """Pass and fail where each group has shares of its own of records that turn: Dirichlet."""
    sizes = rng.integers(1, 10, groups)
    index = np.repeat(np.arange(groups), sizes)
    alike = 2 * np.array([(0.3 + difference) / 2, (0.3 - difference) / 2, 0.7])
    drawn = rng.gamma(alike, 1, (SIMULATIONS, groups, 3))
    shares = (drawn / drawn.sum(axis=2, keepdims=True))[:, index]
    luck = rng.random(shares.shape[:2])
    better, turns = luck < shares[..., 0], luck < shares[..., 0] + shares[..., 1]
    before = np.where(turns, ~better, rng.random(luck.shape) < 0.5)
    after = np.where(turns, better, before)
    return np.broadcast_to(index, luck.shape), before.astype(float), after.astype(float)


@pytest.mark.parametrize("groups", [10, 20, 60, 200])
def test_tango_covers_pass_rates_of_groups(groups: int) -> None:
    index, before, after = flipping(np.random.default_rng(48), groups, 0.1)

    found = simulated(before, after, index, binary=True)
    naive = simulated(before, after, binary=True)

    assert abs(coverage(found, 0.1) - 0.95) < tolerance(0.95) + 0.01
    assert coverage(naive, 0.1) < 0.88
    assert found[0].difference.method == "tango, clustered"


# Seven groups whose records turn all or not at all; Student's t makes the interval cautious there.
def test_tango_errs_on_the_wide_side_for_very_few_groups() -> None:
    rng = np.random.default_rng(56)
    index = np.broadcast_to(np.repeat(np.arange(7), 6), (SIMULATIONS, 42))
    better = (rng.random((SIMULATIONS, 7)) < 0.5)[:, index[0]]

    found = simulated(np.zeros(better.shape), better.astype(float), index, binary=True)

    assert coverage(found, 0.5) > 0.95


def test_what_lies_apart_bounds_rare_changes_more_often_than_promised() -> None:
    rng = np.random.default_rng(49)
    before = rng.random((SIMULATIONS, 60))
    moved = rng.random(before.shape) < 0.02
    after = np.where(moved, rng.random(before.shape), before)

    found = [one for one in simulated(before, after) if one.difference.method.startswith("range")]

    assert len(found) > 0.9 * SIMULATIONS
    assert coverage([one for one in found if one.difference.low is not None], 0) > 0.95


def test_the_sides_cover_their_own_means() -> None:
    rng = np.random.default_rng(50)
    scores = rng.beta(5, 2, (SIMULATIONS, 200))
    many = rng.beta(5, 2, (400, 600))
    passes = (rng.random((SIMULATIONS, 100)) < 0.7).astype(float)

    few = simulated(scores, scores)
    limit = simulated(many, many)
    rates = simulated(passes, passes, binary=True)

    assert (few[0].baseline.method, limit[0].baseline.method) == (
        "bootstrap",
        "normal limit of the bootstrap",
    )
    assert abs(side_coverage(few, 5 / 7) - 0.95) < tolerance(0.95) + 0.01
    assert abs(side_coverage(limit, 5 / 7) - 0.95) < tolerance(0.95, 400) + 0.01
    assert abs(side_coverage(rates, 0.7) - 0.95) < tolerance(0.95) + 0.01


@pytest.mark.parametrize(("n", "discordance"), [(20, 0.3), (100, 0.1), (400, 0.3)])
def test_equal_pass_rates_get_a_verdict_at_most_five_times_in_a_hundred(
    n: int, discordance: float
) -> None:
    before, after = changed(np.random.default_rng(51), n, discordance, 0)

    assert rejected(simulated(before, after, binary=True)) < 0.05 + tolerance(0.05)


@pytest.mark.parametrize("n", [20, 100, 400])
def test_equal_latencies_get_a_verdict_five_times_in_a_hundred(n: int) -> None:
    before, after = np.random.default_rng(52).lognormal(0, 1, (2, SIMULATIONS, n))

    assert abs(rejected(simulated(before, after)) - 0.05) < tolerance(0.05)


@pytest.mark.parametrize("groups", [10, 60])
def test_groups_do_not_make_for_false_verdicts(groups: int) -> None:
    rng = np.random.default_rng(53)
    index, before, after = flipping(rng, groups, 0)
    other, effect = grouped(rng, groups, 8, 1)
    scores = effect + rng.normal(0, 1, effect.shape)

    assert rejected(simulated(before, after, index, binary=True)) < 0.05 + tolerance(0.05)
    assert rejected(simulated(np.zeros_like(scores), scores, other)) < 0.05 + tolerance(0.05)
    assert rejected(simulated(before, after, binary=True)) > 0.1


# A false verdict on any slice of a comparison counts.
def test_equal_runs_get_a_verdict_on_any_slice_at_most_five_times_in_a_hundred() -> None:
    rng = np.random.default_rng(54)
    slices = {("part", str(i)): np.arange(i * 60, i * 60 + 60) for i in range(12)}
    wrong = []
    for seed in range(300):
        before, after = (rng.random((2, 720)) < 0.7).astype(float)
        measure = Measure("m", before, after, binary=True)
        found = compare(pairs_of(720), [measure], slices, seed=seed, sliced=["m"])[1]
        wrong.append(any(one.verdict != "inconclusive" for one in found))

    assert np.mean(wrong) < 0.05 + tolerance(0.05, 300)


def test_holm_keeps_the_false_verdicts_of_eight_slices_of_scores_at_five_in_a_hundred() -> None:
    before, after = np.random.default_rng(55).normal(0, 1, (2, 4000, 40))
    p = np.array([one.p for one in simulated(before, after)]).reshape(500, 8)

    adjusted = np.array([holm(family) for family in p])

    assert np.mean((adjusted <= 0.05).any(axis=1)) < 0.05 + tolerance(0.05, 500)
    assert np.mean((p <= 0.05).any(axis=1)) > 0.25
