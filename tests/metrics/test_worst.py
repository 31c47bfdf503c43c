"""The worst slice: which one it is, and by what."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from apps.metrics.contracts import Interval, Metric
from apps.metrics.intervals import rate
from apps.metrics.summary import summarise
from apps.metrics.worst import worst_slice

from .test_summary import NO_SCORES, by_name, frame


def a_slice(value: str, successes: int, n: int, family: str = "tag") -> Metric:
    return Metric(
        family=family,
        value=value,
        metric="pass_rate",
        interval=rate(successes, n),
        too_few=n < 20,
    )


def test_it_is_the_slice_with_the_lowest_rate_and_says_which() -> None:
    worst = worst_slice([a_slice("billing", 30, 40), a_slice("refund", 24, 40)]).interval

    assert (worst.point, worst.n) == (0.6, 40)
    assert worst.reason == "tag: refund (n = 40)"


def test_slices_of_fewer_than_20_do_not_count() -> None:
    worst = worst_slice([a_slice("billing", 30, 40), a_slice("rare", 0, 19)]).interval

    assert worst.point == 0.75


def test_too_few_everywhere_is_unknown_with_a_reason() -> None:
    few = worst_slice([a_slice("rare", 0, 19), a_slice("none", 0, 0)])
    none = worst_slice([])

    assert few.interval.point is None
    assert few.interval.reason == ("none of 2 slices has 20 records with a verdict: too few to say")
    assert none.interval.reason == "the records have nothing to slice them by"


def test_another_slice_may_have_the_lowest_lower_bound() -> None:
    small, large = a_slice("small", 15, 20), a_slice("large", 700, 1_000)

    worst = worst_slice([small, large]).interval

    assert worst.point == 0.7
    assert worst.low == small.interval.low
    assert worst.high == large.interval.high
    assert worst.reason == "tag: large (n = 1,000); lowest lower bound: tag: small (n = 20)"


def test_a_slice_without_an_interval_leaves_the_bounds_unknown() -> None:
    alone = Interval(
        point=0.9, low=None, high=None, n=30, method="wilson", reason="all come from one group"
    )
    metric = Metric(family="tag", value="one", metric="pass_rate", interval=alone, too_few=False)

    worst = worst_slice([a_slice("billing", 30, 40), metric]).interval

    assert (worst.point, worst.low, worst.high) == (0.75, None, None)
    assert (
        worst.reason == "tag: billing (n = 40); tag: one has no interval" or "one" in worst.reason
    )


slices = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.text(max_size=300)))


@given(slices)
def test_every_slice_has_at_least_what_the_worst_has(
    counts: list[tuple[int, int, str]],
) -> None:
    rates = [a_slice(name, min(c, n), n, family="f" * 80) for c, n, name in counts]
    told = [each.interval for each in rates if not each.too_few]

    worst = worst_slice(rates).interval

    assert len(worst.reason) <= 200
    assert (worst.point is None) == (not told)
    for each in told:
        assert worst.point is not None
        assert worst.low is not None
        assert worst.high is not None
        assert worst.low <= worst.point <= worst.high
        assert worst.point <= each.point
        assert worst.low <= each.low
        assert worst.high <= each.high


def test_the_summary_of_a_run_holds_it() -> None:
    outcomes = ["passed"] * 60 + ["failed"] * 20
    results = frame(["completed"] * 80, outcome=outcomes)
    parts = {
        ("tag", "early"): np.arange(40),
        ("tag", "late"): np.arange(40, 80),
        ("tag", "last"): np.arange(75, 80),
    }

    worst = by_name(summarise(results, NO_SCORES, parts, seed=1))["worst_slice"]

    assert worst.interval.point == 0.5
    assert worst.interval.reason == "tag: late (n = 40)"


def test_trials_do_not_make_many_records_of_a_few() -> None:
    results = pd.concat(
        [frame(["completed"] * 10).assign(trial=trial) for trial in range(5)], ignore_index=True
    )

    worst = by_name(summarise(results, NO_SCORES, {("tag", "a"): np.arange(10)}, seed=1))

    assert worst["worst_slice"].interval.point is None
