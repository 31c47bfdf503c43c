"""Rates, means and percentiles: textbook values and the edges of what can be computed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy import stats

from apps.metrics.contracts import Interval, at_most
from apps.metrics.intervals import mean, percentile, rate, rates

NAN = float("nan")


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        # Newcombe 1998, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_textbook_values(successes: int, n: int, low: float, high: float) -> None:
    interval = rate(successes, n)

    assert interval.point == pytest.approx(successes / n)
    assert (interval.low, interval.high) == (
        pytest.approx(low, abs=5e-5),
        pytest.approx(high, abs=5e-5),
    )


@given(st.integers(1, 5000), st.floats(0, 1))
def test_wilson_agrees_with_scipy(n: int, share: float) -> None:
    successes = round(share * n)
    expected = stats.binomtest(successes, n).proportion_ci(method="wilson")

    interval = rate(successes, n)

    assert interval.low == pytest.approx(expected.low, abs=1e-12)
    assert interval.high == pytest.approx(expected.high, abs=1e-12)


def test_no_failure_ends_at_exactly_zero_and_only_failures_at_exactly_one() -> None:
    assert rate(0, 10).low == 0
    assert rate(10, 10).high == 1


def test_a_rate_of_nothing_is_null_with_a_reason() -> None:
    interval = rate(0, 0)

    assert (interval.point, interval.low, interval.high, interval.n) == (None, None, None, 0)
    assert interval.reason == "nothing was observed"


def test_many_cells_give_what_each_gives_alone() -> None:
    together = rates([0, 3, 7, 0], [0, 10, 7, 20])

    assert together == [rate(0, 0), rate(3, 10), rate(7, 7), rate(0, 20)]


@pytest.mark.parametrize(("successes", "n"), [(-1, 10), (11, 10)])
def test_more_successes_than_tries_are_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="between 0 and n"):
        rate(successes, n)


@pytest.mark.parametrize(("n", "bound"), [(1000, 0.003), (60, 0.05), (2, 1.0), (0, None)])
def test_no_failure_of_n_means_at_most_three_nths(n: int, bound: float | None) -> None:
    assert at_most(n) == bound


def test_the_rule_of_three_is_close_to_the_exact_bound() -> None:
    exact = 1 - 0.05 ** (1 / 300)

    assert at_most(300) == pytest.approx(exact, rel=0.01)


def test_a_mean_agrees_with_the_bootstrap_of_scipy() -> None:
    values = np.random.default_rng(1).beta(2, 5, 400)
    expected = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=10_000, rng=2
    ).confidence_interval

    interval = mean(values, seed=3)

    width = expected.high - expected.low
    assert interval.point == pytest.approx(values.mean())
    assert interval.low == pytest.approx(expected.low, abs=0.08 * width)
    assert interval.high == pytest.approx(expected.high, abs=0.08 * width)
    assert (interval.n, interval.method) == (400, "bootstrap")


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    values = np.random.default_rng(1).random(50)

    assert mean(values, seed=7) == mean(values, seed=7)
    assert mean(values, seed=7) != mean(values, seed=8)


def test_values_that_are_not_numbers_do_not_count() -> None:
    interval = mean([1.0, NAN, 3.0, float("inf")])

    assert (interval.point, interval.n) == (2.0, 2)


@pytest.mark.parametrize("values", [[], [NAN, NAN]])
def test_a_mean_of_nothing_is_null_with_a_reason(values: list[float]) -> None:
    interval = mean(values)

    assert (interval.point, interval.low, interval.high, interval.n) == (None, None, None, 0)
    assert interval.reason == "nothing was observed"


def test_one_value_has_a_mean_but_no_interval() -> None:
    interval = mean([0.5])

    assert (interval.point, interval.low, interval.high) == (0.5, None, None)
    assert interval.reason == "one value has no interval"


def test_equal_values_have_an_interval_without_width() -> None:
    interval = mean([0.3] * 40)

    assert (interval.low, interval.high) == (pytest.approx(0.3), pytest.approx(0.3))


def test_large_values_keep_their_precision() -> None:
    values = 1e9 + np.random.default_rng(1).normal(0, 1, 1000)

    interval = mean(values)

    assert interval.low is not None
    assert interval.high is not None
    assert 0.09 < interval.high - interval.low < 0.16


def test_trials_average_within_their_record_first() -> None:
    interval = mean([1.0, 1.0, 1.0, 0.0], records=["a", "a", "a", "b"])

    assert (interval.point, interval.n) == (0.5, 2)


def test_groups_of_equal_values_widen_the_interval_as_far_as_their_number_says() -> None:
    per_group = np.random.default_rng(1).random(50)

    alone = mean(per_group, seed=1)
    repeated = mean(np.repeat(per_group, 20), np.repeat(np.arange(50), 20), seed=1)

    assert (repeated.low, repeated.high) == (pytest.approx(alone.low), pytest.approx(alone.high))
    assert (repeated.n, repeated.method) == (1000, "bootstrap, clustered")


def test_a_single_group_has_no_interval() -> None:
    interval = mean([0.1, 0.2, 0.3], ["a", "a", "a"])

    assert (interval.low, interval.high) == (None, None)
    assert interval.reason == "all 3 values come from one record or group: no interval"


@pytest.mark.parametrize(("n", "low", "high"), [(6, 1, 6), (10, 2, 9), (20, 6, 15), (100, 40, 61)])
def test_the_median_has_the_ranks_of_the_tables(n: int, low: int, high: int) -> None:
    values = np.random.default_rng(1).permutation(np.arange(1, n + 1))

    interval = percentile(values, 0.5)

    assert (interval.point, interval.low, interval.high) == ((n + 1) / 2, low, high)


def test_a_percentile_is_linear_between_neighbours_as_in_numpy() -> None:
    values = np.random.default_rng(1).lognormal(6, 1, 333)

    assert percentile(values, 0.95).point == pytest.approx(np.quantile(values, 0.95))


def test_too_few_values_leave_out_the_bound_and_say_how_many_it_takes() -> None:
    interval = percentile(range(71), 0.95)

    assert interval.low is not None
    assert interval.high is None
    assert interval.reason == "an upper bound of p95 takes 72 independent values, here are 71"
    assert percentile(range(72), 0.95).high == 71


@pytest.mark.parametrize("values", [[], [NAN]])
def test_a_percentile_of_nothing_is_null_with_a_reason(values: list[float]) -> None:
    interval = percentile(values, 0.5)

    assert (interval.point, interval.n) == (None, 0)
    assert interval.reason == "nothing was observed"


def test_repeated_calls_of_a_record_do_not_narrow_a_percentile() -> None:
    heights = np.random.default_rng(1).random(200)

    alone = percentile(heights, 0.5)
    repeated = percentile(np.repeat(heights, 10), 0.5, np.repeat(np.arange(200), 10))

    assert (repeated.low, repeated.high) == (
        pytest.approx(alone.low, abs=0.01),
        pytest.approx(alone.high, abs=0.01),
    )


def test_a_percentile_within_one_group_has_no_interval() -> None:
    interval = percentile(range(30), 0.5, ["a"] * 30)

    assert (interval.low, interval.high) == (None, None)
    assert interval.reason == "all 30 values come from one record or group: no interval"


@pytest.mark.parametrize(
    ("answers", "errors", "q", "expected", "why"),
    [
        # Of 10 the median lies between ranks 5 and 6, its interval between ranks 2 and 9.
        (9, 1, 0.5, (5.5, 2, 9), ""),
        (8, 2, 0.5, (5.5, 2, None), "the upper bound of p50 falls among the 2 of 10"),
        (5, 5, 0.5, (None, 2, None), "p50 falls among the 5 of 10"),
        (1, 9, 0.5, (None, None, None), "p50 falls among the 9 of 10"),
        # Of 100 the 95th percentile lies .05 above rank 95, its interval between ranks 90 and 100.
        (99, 1, 0.95, (95.05, 90, None), "the upper bound of p95 falls among the 1 of 100"),
        (95, 5, 0.95, (None, 90, None), "p95 falls among the 5 of 100"),
        (20, 2, 0.95, (None, 19, None), "p95 falls among the 2 of 22"),
        # Of 1000 it lies .05 above rank 950, its interval between ranks 936 and 964.
        (964, 36, 0.95, (950.05, 936, 964), ""),
        (963, 37, 0.95, (950.05, 936, None), "the upper bound of p95 falls among the 37 of 1,000"),
    ],
)
def test_an_error_is_slower_than_any_answer(
    answers: int, errors: int, q: float, expected: tuple[float | None, ...], why: str
) -> None:
    interval = percentile([*range(1, answers + 1), *[math.inf] * errors], q)

    assert (interval.point, interval.low, interval.high) == pytest.approx(expected)
    assert interval.n == answers + errors
    assert interval.reason == (why and f"{why} that ended with an error")


@given(st.integers(1, 300), st.integers(0, 60), st.sampled_from([0.5, 0.95]), st.integers(1, 5))
def test_an_error_counts_as_an_answer_that_took_very_long(
    answers: int, errors: int, q: float, trials: int
) -> None:
    took, long = np.random.default_rng(answers).random(answers), 1e9
    groups = np.arange(answers + errors) // trials

    found = percentile([*took, *[math.inf] * errors], q, groups)
    slow = percentile([*took, *[long] * errors], q, groups)

    if found.point is not None:
        ends = [None if end is None or end > 1 else end for end in (slow.low, slow.high)]
        assert [found.point, found.low, found.high] == [slow.point, *ends]
    else:
        assert slow.point is not None
        assert slow.point > 1


@pytest.mark.parametrize("value", [NAN, math.inf])
def test_an_interval_never_holds_what_json_cannot(value: float) -> None:
    with pytest.raises(ValidationError):
        Interval(point=value, low=0, high=1, n=3, method="wilson")


def test_an_absent_bound_needs_its_reason() -> None:
    with pytest.raises(ValidationError, match="must say why"):
        Interval(point=0.5, low=None, high=1, n=3, method="wilson")
