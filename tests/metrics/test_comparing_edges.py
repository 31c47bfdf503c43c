"""Two runs compared where little can be said: no value, no change, few groups, odd numbers."""

import numpy as np
import pytest

from apps.metrics.comparing import Measure, compare
from apps.metrics.comparing.reasons import amount, p_value

from .two_runs import by_slice, counted, pairs_of, whole

NAN = float("nan")
NOBODY = "no shared record has a value in both runs"


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize(
    ("before", "after", "clusters", "reason"),
    [
        ([], [], [], NOBODY),
        ([NAN, NAN], [1, 0], [0, 1], NOBODY),
        ([1], [0], [0], "one record has no interval"),
        ([1, 0, 1], [0, 1, 1], [0, 0, 0], "all 3 records belong to one group: no interval"),
    ],
)
def test_what_cannot_be_computed_is_null_with_its_reason(
    before: list[float], after: list[float], clusters: list[int], reason: str, binary: bool
) -> None:
    measure = Measure("m", np.array(before, float), np.array(after, float), binary=binary)

    found = whole(measure, clusters)

    assert (found.p, found.difference.low, found.difference.high) == (None, None, None)
    assert (found.verdict, found.detectable) == ("inconclusive", None)
    assert found.difference.reason == found.reason == reason


def test_values_without_a_change_say_that_nothing_can_be_made_of_them() -> None:
    found = whole(Measure("score", np.ones(30), np.ones(30)))

    assert (found.p, found.difference.point, found.difference.low) == (1, 0, None)
    assert found.reason == (
        "0 better and 0 worse of 30: p = 1; "
        "the difference is the same on every record: nothing to make an interval of"
    )


def test_without_an_interval_there_is_no_verdict() -> None:
    before = np.arange(30.0)

    found = whole(Measure("tokens", before, before + 5, higher_is_better=False))

    assert (found.difference.point, found.difference.low) == (pytest.approx(5), None)
    assert found.verdict == "inconclusive"
    assert "the difference is the same on every record" in found.reason


def test_scores_that_all_gain_alike_may_hide_as_many_that_lose_everything() -> None:
    few, many = (whole(Measure("score", np.full(n, 0.9), np.ones(n))) for n in (25, 100))

    # As many as hide from 25 records 95 times in 100: 1 - .05 ** (1 / 25) = 11.3 %.
    assert few.difference.low == pytest.approx(0.1 - 1.1 * (1 - 0.05 ** (1 / 25)))
    assert few.p == pytest.approx((1 / 1.1) ** 25)
    assert few.difference.method == "range of the values"
    assert (few.verdict, many.verdict) == ("inconclusive", "better")


def test_a_pass_rate_of_several_trials_is_told_in_points_too() -> None:
    before = np.tile([0.0, 0.25, 0.5], 40)
    after = before + np.tile([0.5, 0.25, 0.25, 0.0], 30)

    rate, score = (whole(Measure(name, before, after)).reason for name in ("pass_rate", "score"))

    assert ", on average 25 points higher: p" in rate
    assert ", on average 0.25 higher: p" in score


def test_where_hardly_a_value_differs_the_others_could_as_far_as_values_lie_apart() -> None:
    before = np.linspace(0, 1, 100)
    after = before.copy()
    after[40] += 0.2

    interval = whole(Measure("score", before, after)).difference

    # Clopper and Pearson for 0 and for 1 of 100: 3.62 % and 5.45 %.
    assert (interval.low, interval.high) == (
        pytest.approx(-0.0362, abs=1e-4),
        pytest.approx(0.0545, abs=1e-4),
    )
    assert interval.method == "range of the values"


@pytest.mark.parametrize("binary", [True, False])
def test_fewer_than_six_groups_show_no_difference_however_many_records_they_have(
    binary: bool,
) -> None:
    before, after = (np.random.default_rng(7).random((2, 100)) < 0.5).astype(float)

    found = whole(Measure("m", before, after, binary=binary), np.arange(100) % 5)

    assert (found.difference.low, found.detectable) == (None, None)
    assert found.reason.endswith("5 independent groups are too few for an interval: it takes 6")


@pytest.mark.parametrize("binary", [True, False])
def test_one_group_that_holds_most_records_leaves_no_interval(binary: bool) -> None:
    before, after = (np.random.default_rng(8).random((2, 1400)) < 0.5).astype(float)
    groups = np.r_[np.zeros(1000), np.arange(1, 401)]

    found = whole(Measure("m", before, after, binary=binary), groups)

    assert found.difference.low is None
    assert found.difference.reason == "one group holds most of the records: no interval"
    assert found.verdict == "inconclusive"


@pytest.mark.parametrize("binary", [True, False])
def test_nor_a_verdict_however_clear_the_others_are(binary: bool) -> None:
    after = np.r_[np.zeros(1000), np.ones(400)]
    groups = np.r_[np.zeros(1000), np.arange(1, 401)]

    found = whole(Measure("m", np.zeros(1400), after, binary=binary), groups)

    assert (found.moves.better, found.moves.worse) == (400, 0)
    assert found.verdict == "inconclusive"


@pytest.mark.parametrize(
    ("value", "points", "text"),
    [
        (0.064, True, "6.4 points"),
        (0.1, True, "10 points"),
        (0.01, True, "1 point"),
        (0.000157, True, "0.016 points"),
        (0.0123456, False, "0.0123"),
        (12345.6, False, "12,346"),
        (0.00001, False, "0.00001"),
    ],
)
def test_differences_are_told_in_plain_numbers(value: float, points: bool, text: str) -> None:
    assert amount(value, points=points) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.1409, "p = .14"),
        (0.0079, "p = .008"),
        (0.0501, "p = .0501"),
        (0.0004, "p < .001"),
        (0.9999, "p = 1"),
        (0.0999, "p = .10"),
    ],
)
def test_p_is_told_as_statisticians_write_it(p: float, text: str) -> None:
    assert p_value(p) == text


def test_the_order_of_measures_is_kept_and_only_named_ones_are_sliced() -> None:
    one, two = counted(3, 1, 30), Measure("score", np.zeros(34), np.arange(34.0))

    whole_run, slices = compare(
        pairs_of(34),
        [one, two],
        {("f", "a"): np.arange(30), ("f", "b"): np.empty(0, np.int64)},
        seed=1,
        sliced=["score"],
    )

    assert [d.metric for d in whole_run] == ["pass_rate", "score"]
    assert [(d.metric, d.family, d.value, d.n) for d in slices] == [
        ("score", "f", "a", 30),
        ("score", "f", "b", 0),
    ]


def test_one_large_value_does_not_round_the_others_away() -> None:
    before = np.zeros(60)
    after = np.r_[np.linspace(0.5e-6, 1.5e-6, 59), 1e12]

    found = by_slice(Measure("m", before, after), {"small": np.arange(59)})[0]

    assert found.difference.point == pytest.approx(1e-6)
    assert found.verdict == "better"
