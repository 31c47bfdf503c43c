"""The regression of a failure rate, in the order that the rules say."""

import numpy as np
import pytest

from apps.metrics.contracts import Interval
from apps.metrics.gated import Answer, Code
from apps.metrics.gating import failure_regression, rate_difference
from apps.metrics.intervals import rate, rates


@pytest.mark.parametrize(
    ("baseline", "candidate", "critical", "budget", "answer", "code"),
    [
        ((0, 20), (0, 20), 0, 0.01, "inconclusive", "insufficient_samples"),
        ((0, 1000), (1, 1000), 1, 0.01, "fail", "critical_violation"),
        ((5, 1000), (80, 1000), 0, 0.02, "fail", "rate_regression"),
        ((2, 1000), (3, 1000), 0, 0.01, "pass", "within_regression_budget"),
        ((0, 100), (0, 100), 0, 0.01, "inconclusive", "insufficient_statistical_support"),
    ],
)
def test_the_vectors_of_the_rules(
    baseline: tuple[int, int],
    candidate: tuple[int, int],
    critical: int,
    budget: float,
    answer: Answer,
    code: Code,
) -> None:
    finding = failure_regression(
        rate(*baseline), rate(*candidate), budget=budget, minimum=100, critical=critical
    )

    assert (finding.answer, finding.code) == (answer, code)


def test_too_few_come_before_a_critical_failure() -> None:
    finding = failure_regression(rate(0, 20), rate(1, 20), budget=0.01, minimum=100, critical=1)

    assert finding.code == "insufficient_samples"
    assert finding.evidence == "It takes 100 records; here are 20."


def test_each_side_has_the_minimum_by_its_own_trials() -> None:
    once, often = rate(0, 60), rate(0, 240)

    enough = failure_regression(once, often, budget=0.2, minimum=60, trials=(1, 4))
    few = failure_regression(often, once, budget=0.2, minimum=60, trials=(1, 4))

    assert enough.code == "within_regression_budget"
    assert few.evidence == "It takes 240 tries; here are 60."


# Newcombe 1998 (17:873), table II, method 10; candidate - baseline turned into his p1 - p2.
@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ],
)
def test_the_difference_of_two_rates_gives_the_textbook_values(
    first: tuple[int, int], second: tuple[int, int], low: float, high: float
) -> None:
    found = rate_difference(rate(*second), rate(*first))

    assert (found.low, found.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_clustered_rates_need_more_records_than_independent_ones() -> None:
    clustered = rates([30], [1000], effective=np.array([200.0]))[0]

    independent = failure_regression(rate(30, 1000), rate(30, 1000), budget=0.02, minimum=100)
    grouped = failure_regression(clustered, clustered, budget=0.02, minimum=100)

    assert independent.answer == "pass"
    assert grouped.answer == "inconclusive"
    assert grouped.evidence.startswith("About 3,100 records of the candidate and 3,100")


def test_so_many_records_do_settle_it() -> None:
    finding = failure_regression(rate(0, 100), rate(0, 100), budget=0.01, minimum=100)

    assert finding.evidence == (
        "About 390 records of the candidate and 390 of the baseline would settle it, if both "
        "rates stay as they are; here are 100 and 100."
    )
    assert failure_regression(rate(0, 390), rate(0, 390), budget=0.01, minimum=100).answer == "pass"


def test_rates_that_differ_by_the_budget_are_never_settled() -> None:
    finding = failure_regression(rate(10, 100), rate(20, 100), budget=0.1, minimum=100)

    assert finding.answer == "inconclusive"
    assert finding.evidence.startswith("No number of records")


def test_a_rate_without_an_interval_is_not_measured() -> None:
    alone = Interval(
        point=0.1, low=None, high=None, n=200, method="wilson, clustered",
        reason="all 200 tries come from one record or group: no interval",
    )  # fmt: skip

    finding = failure_regression(rate(1, 200), alone, budget=0.01, minimum=100)

    assert (finding.answer, finding.code) == ("inconclusive", "not_measured")
    assert "all 200 tries come from one record" in finding.reason


def test_fewer_failures_than_before_are_within_any_budget() -> None:
    assert failure_regression(rate(80, 1000), rate(5, 1000), budget=0, minimum=100).answer == "pass"
