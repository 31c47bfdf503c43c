"""What several trials add to a summary, from results that one can count by hand."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from apps.grading.trials import Over, over_trials, record_passes
from apps.metrics.contracts import Metric
from apps.metrics.summary import summarise
from apps.metrics.trials import Trials

from .test_coverage import coverage, tolerance

NO_SCORES = pd.DataFrame({"ordinal": [], "trial": [], "rule": [], "value": [], "verdict": []})
PASSED, FAILED, UNJUDGED = "passed", "failed", "unjudged"
ERROR, SKIPPED = "evaluation_error", "cancelled"


def several(planned: int, how: Over = "mean") -> Trials:
    return Trials(
        planned=planned,
        score=lambda values: over_trials(values, how),
        passes=lambda passes: record_passes(passes, how),
    )


def tried(*records: list[str], groups: list[str] | None = None) -> pd.DataFrame:
    """A row for each word of each record: an outcome, or the status of what has none."""
    places = [(o, t, word) for o, words in enumerate(records) for t, word in enumerate(words)]
    frame = pd.DataFrame(places, columns=["ordinal", "trial", "word"])
    answered = frame["word"].isin([PASSED, FAILED, UNJUDGED])
    frame["status"] = frame["word"].where(~answered, "completed")
    frame["outcome"] = frame["word"].where(answered, "")
    frame["score"] = frame["word"].map({PASSED: 1.0, FAILED: 0.4})
    frame["group"] = [(groups or [""] * len(records))[ordinal] for ordinal in frame["ordinal"]]
    for column in ("latency_ms", "input_tokens", "output_tokens", "total_tokens", "cost"):
        frame[column] = 1.0
    return frame.drop(columns="word")


def found(frame: pd.DataFrame, trials: Trials | None) -> dict[str, Metric]:
    metrics = summarise(frame, NO_SCORES, {}, trials=trials, seed=1)
    return {metric.metric: metric for metric in metrics}


def points(metrics: dict[str, Metric], *names: str) -> list[float | None]:
    return [metrics[name].interval.point for name in names]


MIXED = (
    [PASSED, PASSED, PASSED],
    [PASSED, FAILED, FAILED],
    [FAILED, FAILED, ERROR],
    [PASSED, ERROR, ERROR],
    [UNJUDGED, ERROR, SKIPPED],
)


def test_pass_at_k_averages_over_records_with_k_judged_tries() -> None:
    metrics = found(tried(*MIXED), several(3))

    assert points(metrics, "pass@1", "pass@2", "pass@3") == [
        pytest.approx((1 + 1 / 3 + 0 + 1) / 4),
        pytest.approx((1 + 2 / 3 + 0) / 3),
        pytest.approx((1 + 1) / 2),
    ]
    assert points(metrics, "pass^1", "pass^2", "pass^3") == [
        pytest.approx((1 + 1 / 3 + 0 + 1) / 4),
        pytest.approx((1 + 0 + 0) / 3),
        pytest.approx((1 + 0) / 2),
    ]
    assert [metrics[f"pass@{k}"].n for k in (1, 2, 3)] == [4, 3, 2]


def test_with_errors_as_fails_an_error_is_a_try_that_did_not_pass() -> None:
    metrics = found(tried(*MIXED), several(3))

    assert points(metrics, "pass@1:errors_as_fails", "pass^3:errors_as_fails") == [
        pytest.approx((1 + 1 / 3 + 0 + 1 / 3 + 0) / 5),
        pytest.approx((1 + 0 + 0 + 0) / 4),
    ]
    assert metrics["pass@1:errors_as_fails"].n == 5


def test_a_record_is_flaky_where_some_judged_trials_passed_and_others_did_not() -> None:
    flaky = found(tried(*MIXED), several(3))["flaky_records"]

    assert (flaky.interval.point, flaky.n) == (1, 3)


@pytest.mark.parametrize(
    ("how", "passing", "score"),
    [
        ("mean", [1, 0, 0, 1], np.mean([1, 0.6, 0.4, 1])),
        ("pass_any", [1, 1, 0, 1], np.mean([1, 1, 0.4, 1])),
        ("pass_all", [1, 0, 0, 1], np.mean([1, 0.4, 0.4, 1])),
    ],
)
def test_a_record_is_what_the_contract_makes_of_its_trials(
    how: Over, passing: list[int], score: float
) -> None:
    metrics = found(tried(*MIXED), several(3, how))

    rate = metrics["record_pass_rate"]
    assert (rate.interval.point, rate.n) == (np.mean(passing), 4)
    assert points(metrics, "record_score_mean") == [pytest.approx(score)]


def test_by_the_interval_a_record_passes_where_its_lower_bound_is_above_a_half() -> None:
    frame = tried([PASSED] * 20, [PASSED] * 19 + [FAILED], [PASSED] * 11 + [FAILED] * 9)

    assert points(found(frame, several(20, "interval")), "record_pass_rate") == [
        pytest.approx(2 / 3)
    ]


def test_nothing_judged_is_unknown_with_a_reason() -> None:
    metrics = found(tried([UNJUDGED, ERROR], [ERROR, SKIPPED]), several(2))

    for name in ("pass@1", "pass^2", "record_pass_rate", "record_score_mean"):
        assert metrics[name].interval.point is None
        assert metrics[name].interval.reason
    assert points(metrics, "flaky_records") == [0]


def test_a_run_without_any_result_has_every_metric_of_trials() -> None:
    metrics = found(tried(), several(2))

    assert {"pass@1", "pass@2", "pass^1", "pass^2", "record_pass_rate"} <= metrics.keys()


def test_one_trial_adds_nothing() -> None:
    metrics = found(tried([PASSED], [FAILED]), None)

    assert not [name for name in metrics if "@" in name or name.startswith("record_")]


def test_records_of_one_group_are_drawn_together() -> None:
    records = [[PASSED, PASSED], [FAILED, FAILED]] * 10
    groups = [f"doc-{place // 4}" for place in range(20)]

    alone = found(tried(*records), several(2))["pass@2"].interval
    together = found(tried(*records, groups=groups), several(2))["pass@2"].interval

    assert together.method == "bootstrap, clustered"
    assert None not in (alone.low, together.low)
    assert together.low > alone.low  # type: ignore[operator] # each document has as many of both


# 120 records whose own rates are Beta(2, 1), tried four times: the truth is the mean over
# records of 1 - (1 - p)^2, or of p^2.
def test_the_intervals_over_records_cover_the_truth() -> None:
    rng, simulations = np.random.default_rng(22), 400
    any_passes, all_pass = [], []

    for _ in range(simulations):
        hits = rng.random((120, 4)) < rng.beta(2, 1, 120)[:, None]
        metrics = found(tried(*(np.where(hits, PASSED, FAILED)).tolist()), several(4))
        any_passes.append(metrics["pass@2"].interval)
        all_pass.append(metrics["pass^2"].interval)

    moment = 2 * 1 / (3 * 4)  # E[(1 - p)^2] of Beta(2, 1)
    assert abs(coverage(any_passes, 1 - moment) - 0.95) < tolerance(simulations) + 0.01
    assert abs(coverage(all_pass, 1 / 2) - 0.95) < tolerance(simulations) + 0.01


def test_what_trials_make_does_not_depend_on_the_order_of_rows() -> None:
    frame = tried(*(list(words) for words in product([PASSED, FAILED, ERROR], repeat=3)))
    shuffled = frame.sample(frac=1, random_state=5)

    assert found(frame, several(3, "interval")) == found(shuffled, several(3, "interval"))
