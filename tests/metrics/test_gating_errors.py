"""How often is a gate wrong? Seeded simulations where the truth lies exactly at the limit.

A false pass and a false fail are both promised in at most 2.5 % of cases. The tolerance is three
standard errors of what so many simulations show; what is only right in large samples, and what
swings because successes are whole numbers, is told beside.
"""

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from scipy import stats

from apps.metrics.arrays import Floats
from apps.metrics.compared import Difference, Moves, Verdict
from apps.metrics.comparing.holm import holm
from apps.metrics.comparing.proportions import mcnemar, tango
from apps.metrics.contracts import Interval
from apps.metrics.gated import Answer, Finding
from apps.metrics.gating import (
    answer_of,
    failure_regression,
    non_inferiority,
    slice_harm,
    threshold,
)
from apps.metrics.intervals import rates

SIMULATIONS = 4000
NOMINAL = 0.025
MARGIN = 0.05


def tolerance(nominal: float = NOMINAL, simulations: int = SIMULATIONS) -> float:
    return 3 * float(np.sqrt(nominal * (1 - nominal) / simulations))


def shares(answers: Iterable[Answer]) -> dict[Answer, float]:
    counts = Counter(answers)
    total = counts.total()
    return {"pass": counts["pass"] / total, "fail": counts["fail"] / total}


def paired(
    rng: np.random.Generator, n: int, change: float, discordance: float, runs: int = SIMULATIONS
) -> tuple[Floats, Floats, list[Interval]]:
    """Better, worse and the interval of candidate - baseline of so many pairs, a row a release."""
    up, down = (discordance + change) / 2, (discordance - change) / 2
    moved = rng.multinomial(n, [up, down, 1 - discordance], size=runs)
    better, worse = moved[:, 0].astype(float), moved[:, 1].astype(float)
    lows, highs = tango(better, worse, np.full(runs, float(n)))
    intervals = [
        Interval(point=(b - c) / n, low=low, high=high, n=n, method="tango")
        for b, c, low, high in zip(better, worse, lows, highs, strict=True)
    ]
    return better, worse, intervals


def held(difference: Interval) -> Finding:
    return non_inferiority(difference, margin=MARGIN, minimum=20)


def test_a_release_at_the_margin_passes_and_fails_in_two_and_a_half_per_cent_each() -> None:
    rng = np.random.default_rng(41)

    # Tango's limits swing around 2.5 % as Wilson's do: 1.9 to 3.2 % here, most at n = 200.
    for n, discordance in ((200, 0.12), (500, 0.2), (2000, 0.08)):
        found = shares(held(each).answer for each in paired(rng, n, -MARGIN, discordance)[2])

        assert found["pass"] < NOMINAL + 0.005 + tolerance()
        assert found["fail"] < NOMINAL + 0.005 + tolerance()


def test_a_release_as_good_as_its_baseline_is_never_said_to_be_worse() -> None:
    found = shares(
        held(each).answer for each in paired(np.random.default_rng(42), 500, 0.0, 0.2)[2]
    )

    assert found["fail"] < 0.001
    assert found["pass"] > 0.6


def test_a_rate_at_its_threshold_passes_and_fails_in_two_and_a_half_per_cent_each() -> None:
    rng = np.random.default_rng(43)

    # Wilson's one-sided error swings around 2.5 % with n and p, by 1 % at n p (1 - p) = 18.
    for n, p in ((200, 0.9), (500, 0.8), (5000, 0.95)):
        found = shares(
            threshold(each, at_least=p, minimum=20).answer
            for each in rates(rng.binomial(n, p, SIMULATIONS), np.full(SIMULATIONS, n))
        )

        assert found["pass"] < NOMINAL + 0.01 + tolerance()
        assert found["fail"] < NOMINAL + 0.01 + tolerance()


@pytest.mark.parametrize(
    ("p", "fails", "passes"),
    [(0.5, 0.040, 0.040), (0.9, 0.063, 0.028), (0.95, 0.076, 0.025), (0.98, 0.102, 0.001)],
)
def test_of_few_tries_a_rate_at_its_threshold_fails_and_passes_as_often_as_is_told(
    p: float, fails: float, passes: float
) -> None:
    found: dict[Answer, list[float]] = {"pass": [], "fail": []}

    # Every outcome of 20 to 100 tries with its probability: nothing is drawn.
    for n in range(20, 101):
        successes = np.arange(n + 1)
        chances = stats.binom.pmf(successes, n, p)
        intervals = rates(successes, np.full(n + 1, n))
        answers = [threshold(each, at_least=p, minimum=20).answer for each in intervals]
        for answer, of_each in found.items():
            of_each.append(float(chances[[each == answer for each in answers]].sum()))

    assert max(found["fail"]) == pytest.approx(fails, abs=0.0012)
    assert max(found["pass"]) == pytest.approx(passes, abs=0.0017)


def test_failures_at_the_budget_pass_and_fail_in_two_and_a_half_per_cent_each() -> None:
    rng = np.random.default_rng(44)
    size = np.full(SIMULATIONS, 1000)

    # Newcombe's limits are a little off in the tails: 2.0 to 3.0 % here.
    for share, budget in ((0.02, 0.02), (0.05, 0.02), (0.1, 0.05)):
        before = rates(rng.binomial(1000, share, SIMULATIONS), size)
        after = rates(rng.binomial(1000, share + budget, SIMULATIONS), size)
        found = shares(
            failure_regression(p, q, budget=budget, minimum=100).answer
            for p, q in zip(before, after, strict=True)
        )

        assert found["pass"] < NOMINAL + 0.005 + tolerance()
        assert found["fail"] < NOMINAL + 0.005 + tolerance()


# -- slices ---------------------------------------------------------------------------------


def releases_of_slices(
    rng: np.random.Generator, sizes: list[int], change: float, runs: int
) -> list[list[Difference]]:
    """So many releases, each a difference a slice with its Holm verdict."""
    columns = [paired(rng, n, change, 0.2, runs) for n in sizes]
    p = np.stack([mcnemar(better, worse) for better, worse, _ in columns], axis=1)
    adjusted = np.stack([holm(row) for row in p])
    return [
        [
            a_slice(columns[place][2][run], float(p[run, place]), float(adjusted[run, place]))
            for place in range(len(sizes))
        ]
        for run in range(runs)
    ]


def a_slice(difference: Interval, p: float, adjusted: float) -> Difference:
    point = difference.point or 0.0
    verdict: Verdict = "inconclusive"
    if adjusted < 0.05:
        verdict = "better" if point > 0 else "worse"
    return Difference(
        metric="pass_rate",
        family="tag",
        value="a",
        binary=True,
        higher_is_better=True,
        moves=Moves(better=0, worse=0, same=difference.n, error=0, unscored=0),
        baseline=difference,
        candidate=difference,
        difference=difference,
        p=p,
        p_adjusted=adjusted,
        test="mcnemar",
        verdict=verdict,
        reason="told",
        detectable=None,
    )


def answers_of_slices(
    releases: list[list[Difference]], prove: Callable[[list[Difference]], list[Finding]]
) -> dict[Answer, float]:
    return shares(answer_of(prove(slices)) for slices in releases)


def test_where_no_slice_is_worse_some_slice_fails_in_two_and_a_half_per_cent() -> None:
    runs = 1500
    releases = releases_of_slices(np.random.default_rng(45), [60, 100, 150, 300] * 3, 0.0, runs)

    found = answers_of_slices(
        releases,
        lambda slices: slice_harm(slices, margin=0.0, proof="no_harm_seen", minimum=20),
    )

    assert found["fail"] < NOMINAL + tolerance(simulations=runs)


def test_slices_at_the_margin_are_proven_no_worse_in_two_and_a_half_per_cent_at_most() -> None:
    runs = 1500
    releases = releases_of_slices(np.random.default_rng(46), [200, 400, 800], -MARGIN, runs)

    def some(answer: Answer) -> float:
        found = [
            slice_harm(slices, margin=MARGIN, proof="non_inferior", minimum=20)
            for slices in releases
        ]
        return float(np.mean([answer in {each.answer for each in slices} for slices in found]))

    assert some("pass") < NOMINAL + tolerance(simulations=runs)
    assert some("fail") < NOMINAL + tolerance(simulations=runs)


# -- the whole gate -------------------------------------------------------------------------


def gate_answers(rng: np.random.Generator, changes: list[float]) -> dict[Answer, float]:
    """A gate of independent checks, each with its true difference."""
    columns = [[held(each) for each in paired(rng, 800, one, 0.15)[2]] for one in changes]
    return shares(answer_of(findings) for findings in zip(*columns, strict=True))


def test_a_release_inferior_in_one_check_passes_the_gate_in_two_and_a_half_per_cent() -> None:
    found = gate_answers(np.random.default_rng(47), [-MARGIN, 0.1, 0.1, 0.1])

    assert found["pass"] < NOMINAL + tolerance()


def test_false_fails_of_a_release_at_all_its_margins_add_up_to_no_more_than_their_sum() -> None:
    checks = 4

    found = gate_answers(np.random.default_rng(48), [-MARGIN] * checks)

    together = 1 - (1 - NOMINAL) ** checks
    assert found["fail"] < checks * NOMINAL + tolerance(checks * NOMINAL)
    # Independent checks: 9.6 % fail, four times what one would.
    assert abs(found["fail"] - together) < tolerance(together) + 0.01
    assert found["pass"] == 0


def test_a_release_better_everywhere_hardly_ever_fails() -> None:
    found = gate_answers(np.random.default_rng(49), [0.01] * 4)

    assert found["fail"] == 0
    assert found["pass"] > 0.95
