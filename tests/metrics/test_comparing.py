"""Two runs compared: what is said of them, by record, by slice and by group."""

import numpy as np
import pytest

from apps.metrics.compared import MOVES
from apps.metrics.comparing import Measure, Pairs, compare, move_codes

from .two_runs import by_slice, counted, whole

NAN = float("nan")


def test_the_reason_names_counts_p_and_what_would_not_show() -> None:
    found = whole(counted(12, 5, 200))

    assert found.verdict == "inconclusive"
    assert found.reason == (
        "12 better and 5 worse of 217: p = .14; "
        "a difference below 5.2 points would not show with so many records"
    )
    assert found.detectable == pytest.approx(0.0523, abs=1e-4)


def test_a_verdict_names_the_difference() -> None:
    found = whole(counted(30, 12, 178))

    assert found.verdict == "better"
    assert found.reason == "30 better and 12 worse of 220, 8.2 points higher: p = .008"


def test_lower_is_better_where_the_metric_says_so() -> None:
    rng = np.random.default_rng(6)
    before = rng.lognormal(6, 0.3, 200)

    found = whole(Measure("latency", before, before * 0.8, higher_is_better=False))

    assert (found.verdict, found.moves.better) == ("better", 200)
    assert found.reason.startswith("200 better and 0 worse of 200, on average ")
    assert found.reason.endswith(" lower: p < .001")


def test_below_twenty_records_there_is_no_verdict() -> None:
    found = whole(counted(9, 0, 10))

    assert found.p == pytest.approx(2 / 2**9)
    assert found.verdict == "inconclusive"
    assert found.reason == (
        "too few: 9 better and 0 worse of 19, a verdict takes 20 compared records"
    )


def test_an_interval_that_leaves_out_zero_while_the_exact_test_holds_back_is_explained() -> None:
    found = whole(counted(16, 6, 139))

    assert found.difference.low is not None
    assert found.difference.low > 0
    assert found.verdict == "inconclusive"
    assert found.reason.endswith("; the interval leaves 0 out, the stricter test decides")


def test_errors_are_neither_win_nor_loss_and_count_as_fails_beside() -> None:
    measure = counted(0, 0, 60)
    before, after = measure.baseline.copy(), measure.candidate.copy()
    failed = np.zeros(60, dtype=np.bool_)
    failed[:20] = before[:20] == 1
    after[failed] = NAN
    zeros = np.where(failed, 0, after)
    pairs = Pairs(np.zeros(60, dtype=np.bool_), failed, np.arange(60))

    found = compare(
        pairs,
        [Measure("pass_rate", before, after, binary=True, with_errors=(before, zeros))],
        {},
        seed=1,
        sliced=(),
    )[0][0]

    assert (found.moves.same, found.moves.error, found.n) == (50, 10, 50)
    assert (found.verdict, found.verdict_with_errors) == ("inconclusive", "worse")
    assert found.errors_as_fails is not None
    assert found.errors_as_fails.point == pytest.approx(-10 / 60)
    assert found.errors_as_fails.n == 60
    assert found.reason.endswith("; with errors as fails: worse")


def test_a_move_is_told_for_every_pair() -> None:
    before = np.array([0.0, 1.0, 0.5, 1.0, NAN, 0.3])
    after = np.array([1.0, 0.0, 0.5, NAN, 1.0, 0.1 + 0.2])
    pairs = Pairs(
        np.zeros(6, dtype=np.bool_), np.array([0, 0, 0, 1, 0, 0], dtype=np.bool_), np.arange(6)
    )

    codes = move_codes(pairs, Measure("score", before, after))

    assert [MOVES[code] for code in codes] == [
        "better",
        "worse",
        "same",
        "error",
        "unscored",
        "same",
    ]


def test_slices_are_corrected_together_and_the_small_ones_left_out() -> None:
    big = counted(10, 1, 49)
    small = counted(8, 0, 4)
    measure = Measure(
        "pass_rate",
        np.r_[big.baseline, big.baseline, small.baseline],
        np.r_[big.candidate, big.baseline, small.candidate],
        binary=True,
    )

    first, second, third = by_slice(
        measure, {"a": np.arange(60), "b": np.arange(60, 120), "c": np.arange(120, 132)}
    )

    assert first.p == pytest.approx(0.01171875)
    assert first.p_adjusted == pytest.approx(0.0234375)
    assert first.verdict == "better"
    assert first.reason == (
        "10 better and 1 worse of 60, 15 points higher: p = .012, "
        "p = .023 after Holm's correction for 2 slices"
    )
    assert (second.verdict, second.p_adjusted) == ("inconclusive", 1)
    assert (third.verdict, third.p_adjusted) == ("inconclusive", None)
    assert third.reason.startswith("too few: 8 better and 0 worse of 12")


def test_what_would_count_alone_is_named_where_it_does_not_among_many() -> None:
    one = counted(9, 1, 50)
    measure = Measure(
        "pass_rate", np.tile(one.baseline, 4), np.r_[one.candidate, np.tile(one.baseline, 3)], True
    )

    first = by_slice(measure, {str(i): np.arange(60) + 60 * i for i in range(4)})[0]

    assert (first.p, first.p_adjusted) == (
        pytest.approx(0.0215, abs=1e-4),
        pytest.approx(0.0859, abs=1e-4),
    )
    assert first.verdict == "inconclusive"
    assert "alone it would count, among so many slices it may be chance" in first.reason


def test_groups_are_flipped_whole() -> None:
    measure = counted(40, 10, 150)
    groups = np.r_[np.repeat(np.arange(5), 8), np.repeat([5, 6], 5), np.arange(7, 157)]

    alone, grouped = whole(measure), whole(measure, groups)

    # Five groups up and two down, each of equal size within its kind.
    assert alone.p is not None
    assert grouped.p is not None
    assert alone.p < 0.001
    assert grouped.p > 0.05
    assert grouped.test == "sign flip of groups, all patterns"
    assert grouped.difference.method == "tango, clustered"
    assert grouped.detectable is not None
    assert alone.detectable is not None
    assert grouped.detectable > 2 * alone.detectable


def test_the_sides_have_intervals_of_their_own() -> None:
    found = whole(counted(12, 5, 200))
    score = whole(Measure("score", np.linspace(0, 1, 50), np.linspace(0, 1, 50) ** 2))

    assert (found.baseline.point, found.baseline.method) == (pytest.approx(105 / 217), "wilson")
    assert found.candidate.point == pytest.approx(112 / 217)
    assert (score.baseline.point, score.baseline.method) == (pytest.approx(0.5), "bootstrap")
