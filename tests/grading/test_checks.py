"""Thresholds on the whole run."""

from typing import Any

import pytest

from apps.grading.checks import METRICS, check_thresholds
from apps.grading.spec import Thresholds
from apps.metrics.contracts import Interval


def measured(point: float, low: float, high: float) -> Interval:
    return Interval(point=point, low=low, high=high, n=100, method="wilson")


@pytest.mark.parametrize(
    ("thresholds", "interval", "verdict"),
    [
        ({"pass_rate": {"at_least": 0.8}}, (0.9, 0.8, 0.95), "pass"),
        ({"pass_rate": {"at_least": 0.8}}, (0.82, 0.75, 0.9), "unsure"),
        ({"pass_rate": {"at_least": 0.8}}, (0.7, 0.6, 0.79), "fail"),
        ({"pass_rate": {"at_least": 0.8, "by": "point"}}, (0.8, 0.7, 0.9), "pass"),
        ({"pass_rate": {"at_least": 0.8, "by": "point"}}, (0.79, 0.7, 0.9), "fail"),
        ({"failure_rate": {"at_most": 0.05}}, (0.05, 0.0, 0.1), "pass"),
        ({"failure_rate": {"at_most": 0.05}}, (0.06, 0.0, 0.1), "fail"),
        ({"failure_rate": {"at_most": 0.05, "by": "upper"}}, (0.02, 0.0, 0.05), "pass"),
        ({"failure_rate": {"at_most": 0.05, "by": "upper"}}, (0.04, 0.0, 0.1), "unsure"),
        ({"failure_rate": {"at_most": 0.05, "by": "upper"}}, (0.2, 0.1, 0.3), "fail"),
        ({"latency_p95_ms": {"at_most": 1_800}}, (1_800, 1_700, 1_900), "pass"),
        ({"latency_p95_ms": {"at_most": 1_800}}, (1_840, 1_700, 1_900), "fail"),
        ({"score": {"at_least": 0.7}}, (0.75, 0.7, 0.8), "pass"),
        ({"score": {"at_least": 0.7}}, (0.75, 0.69, 0.8), "unsure"),
        ({"score": {"at_least": 0.7, "by": "point"}}, (0.69, 0.6, 0.8), "fail"),
        ({"worst_slice": {"at_least": 0.6}}, (0.7, 0.5, 0.8), "unsure"),
        ({"worst_slice": {"at_least": 0.6}}, (0.5, 0.4, 0.59), "fail"),
        ({"worst_slice": {"at_least": 0.6, "by": "point"}}, (0.7, 0.5, 0.8), "pass"),
        ({"cost": {"at_most": 0.02}}, (0.015, 0.01, 0.03), "pass"),
        ({"cost": {"at_most": 0.02, "by": "upper"}}, (0.015, 0.01, 0.03), "unsure"),
        ({"cost": {"at_most": 0.02, "by": "upper"}}, (0.04, 0.03, 0.05), "fail"),
    ],
)
def test_a_threshold_is_held_against_the_point_or_the_bound(
    thresholds: dict[str, Any], interval: tuple[float, float, float], verdict: str
) -> None:
    metric = METRICS[next(iter(thresholds))]

    checks = check_thresholds(Thresholds.model_validate(thresholds), {metric: measured(*interval)})

    assert [(check.metric, check.verdict) for check in checks] == [(metric, verdict)]


def test_what_was_not_measured_is_unknown_with_a_reason() -> None:
    thresholds = Thresholds.model_validate(
        {"pass_rate": {"at_least": 0.8}, "latency_p95_ms": {"at_most": 900}}
    )
    nothing = Interval(point=None, low=None, high=None, n=0, method="wilson", reason="no answers")

    checks = check_thresholds(thresholds, {"pass_rate": nothing})

    assert [(check.verdict, check.reason) for check in checks] == [
        ("unknown", "no answers"),
        ("unknown", "Not measured yet."),
    ]


def test_the_check_of_the_worst_slice_names_it() -> None:
    thresholds = Thresholds.model_validate({"worst_slice": {"at_least": 0.6}})
    worst = measured(0.7, 0.65, 0.8).model_copy(update={"reason": "tag billing (n = 40)"})

    check = check_thresholds(thresholds, {"worst_slice": worst})[0]

    assert (check.verdict, check.reason) == ("pass", "tag billing (n = 40)")


def test_of_several_trials_score_and_pass_rate_are_those_of_the_records() -> None:
    thresholds = Thresholds.model_validate(
        {"score": {"at_least": 0.5}, "pass_rate": {"at_least": 0.8}}
    )
    tries = {"score_mean": measured(0.4, 0.3, 0.5), "pass_rate": measured(0.7, 0.6, 0.8)}
    records = {
        "record_score_mean": measured(0.9, 0.8, 1.0),
        "record_pass_rate": measured(0.95, 0.9, 1.0),
    }

    checks = check_thresholds(thresholds, {**tries, **records})

    assert [(check.title, check.metric, check.verdict) for check in checks] == [
        ("Score of records", "record_score_mean", "pass"),
        ("Pass rate of records", "record_pass_rate", "pass"),
    ]


def test_a_check_says_all_that_a_tile_shows() -> None:
    thresholds = Thresholds.model_validate({"pass_rate": {"at_least": 0.8}})

    check = check_thresholds(thresholds, {"pass_rate": measured(0.9, 0.85, 0.95)})[0]

    assert (check.title, check.limit, check.at_least, check.by) == ("Pass rate", 0.8, True, "lower")
    assert (check.point, check.bound) == (0.9, 0.85)


def test_a_contract_without_thresholds_has_no_checks() -> None:
    assert check_thresholds(Thresholds(), {"pass_rate": measured(0.9, 0.8, 1.0)}) == ()


def test_every_threshold_is_about_a_metric() -> None:
    assert set(METRICS) == set(Thresholds.model_fields)
