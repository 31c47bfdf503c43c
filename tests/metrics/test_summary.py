"""The summary of a run, from a handful of results that one can count by hand."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.metrics.contracts import Metric
from apps.metrics.results import OUTCOMES, STATUSES
from apps.metrics.summary import summarise

NAN = float("nan")
NO_SCORES = pd.DataFrame({"ordinal": [], "trial": [], "rule": [], "value": [], "verdict": []})


def frame(status: list[str], **columns: Any) -> pd.DataFrame:
    n = len(status)
    defaults = {
        "ordinal": range(n), "trial": 0, "status": status,
        "outcome": ["passed" if word == "completed" else "" for word in status],
        "score": 1.0, "latency_ms": 100.0, "input_tokens": 10, "output_tokens": 5,
        "total_tokens": 15, "cost": 0.01, "group": "",
    }  # fmt: skip
    return pd.DataFrame(defaults | columns, index=range(n))


def rule_scores(rule: str, verdicts: list[str], values: list[float]) -> pd.DataFrame:
    n = len(verdicts)
    return pd.DataFrame(
        {"ordinal": range(n), "trial": 0, "rule": rule, "value": values, "verdict": verdicts}
    )


def by_name(metrics: list[Metric], family: str = "", value: str = "") -> dict[str, Metric]:
    return {m.metric: m for m in metrics if (m.family, m.value) == (family, value)}


def points(metrics: dict[str, Metric], *names: str) -> list[float | None]:
    return [metrics[name].interval.point for name in names]


def test_the_denominators_count_every_result_once() -> None:
    results = frame(
        ["completed"] * 4 + ["timeout", "evaluation_error", "cancelled"],
        outcome=["passed", "failed", "unjudged", "", "passed", "", ""],
    )

    found = by_name(summarise(results, NO_SCORES, {}, invalid=2, seed=1))

    assert points(found, "total", "valid", "invalid") == [9, 7, 2]
    assert points(found, "evaluated", "failed", "skipped") == [4, 2, 1]
    assert points(found, "passed", "failed_contract", "unjudged") == [1, 1, 2]
    assert points(found, "pass_rate", "failure_rate") == [1 / 2, 2 / 7]
    assert (found["pass_rate"].n, found["failure_rate"].n) == (2, 7)


@given(
    st.lists(st.tuples(st.sampled_from(STATUSES), st.sampled_from(OUTCOMES), st.integers(0, 3))),
    st.integers(0, 9),
)
def test_the_denominators_always_add_up(rows: list[tuple[str, str, int]], invalid: int) -> None:
    ordinals = [ordinal for _, _, ordinal in rows]
    results = frame(
        [status for status, _, _ in rows],
        outcome=[outcome for _, outcome, _ in rows],
        ordinal=ordinals,
        trial=range(len(rows)),
    )

    found = by_name(summarise(results, NO_SCORES, {}, invalid=invalid, seed=1))

    total, valid, refused = points(found, "total", "valid", "invalid")
    parts = points(found, "evaluated", "failed", "skipped")
    judged = points(found, "passed", "failed_contract", "unjudged")
    assert (total, refused, valid) == (len(rows) + invalid, invalid, len(rows))
    assert sum(part or 0 for part in parts) == valid
    assert sum(part or 0 for part in judged) == parts[0]


def test_scores_and_latencies_are_of_evaluated_results_and_cost_of_all() -> None:
    results = frame(
        ["completed", "completed", "timeout"],
        score=[0.2, 0.6, 1.0],
        latency_ms=[100, 300, 9000],
        cost=[0.01, 0.02, 0.03],
    )

    found = by_name(summarise(results, NO_SCORES, {}, seed=1))

    assert points(found, "score_mean", "latency_p50") == [pytest.approx(0.4), 200]
    assert points(found, "cost_sum", "cost_mean") == [pytest.approx(0.06), pytest.approx(0.02)]
    assert (found["score_mean"].n, found["latency_p50"].n, found["cost_sum"].n) == (2, 2, 3)


def test_score_and_latency_carry_their_shape() -> None:
    results = frame(["completed"] * 3, score=[0.1, 0.1, 0.9], latency_ms=[100, 200, 300])

    found = by_name(summarise(results, NO_SCORES, {}, seed=1))

    score, latency = found["score_mean"].shape, found["latency_p50"].shape
    assert score is not None
    assert score.counts == (0, 2, 0, 0, 0, 0, 0, 0, 0, 1)
    assert latency is not None
    assert (latency.count, latency.mean, latency.minimum, latency.maximum) == (3, 200, 100, 300)


def test_a_rule_is_passed_by_pass_and_not_by_warn_and_errors_are_no_score() -> None:
    scores = rule_scores(
        "exact", ["pass", "pass", "warn", "fail", "error", "skip"], [1, 1, 0.4, 0, NAN, NAN]
    )

    found = by_name(summarise(frame(["completed"] * 6), scores, {}, seed=1))

    assert points(found, "rule:exact:pass_rate", "rule:exact:mean") == [0.5, pytest.approx(0.6)]
    assert (found["rule:exact:pass_rate"].n, found["rule:exact:mean"].n) == (4, 4)
    assert points(found, "rule:exact:unscored") == [2]


def test_scores_of_results_that_failed_or_are_not_there_are_left_out() -> None:
    results = frame(["completed", "evaluation_error"])
    scores = rule_scores("exact", ["pass", "fail", "fail"], [1, 0, 0])

    found = by_name(summarise(results, scores, {}, seed=1))

    assert (found["rule:exact:pass_rate"].n, found["rule:exact:pass_rate"].interval.point) == (1, 1)


def test_a_slice_has_its_own_numbers() -> None:
    results = frame(
        ["completed"] * 3 + ["timeout"],
        outcome=["passed", "failed", "passed", ""],
        score=[1.0, 0.0, 0.5, NAN],
        latency_ms=[100, 200, 300, NAN],
    )
    scores = rule_scores("exact", ["pass", "fail", "pass"], [1, 0, 1])
    slices = {("tag", "law"): [1, 3], ("tag", "tax"): np.array([0, 2])}

    metrics = summarise(results, scores, slices, seed=1)

    law, tax = by_name(metrics, "tag", "law"), by_name(metrics, "tag", "tax")
    assert points(law, "n", "pass_rate", "failure_rate") == [2, 0, 0.5]
    assert points(law, "score_mean", "latency_p50", "cost_sum") == [0, 200, pytest.approx(0.02)]
    assert points(tax, "n", "pass_rate", "failure_rate") == [2, 1, 0]
    assert points(tax, "score_mean", "latency_p50") == [pytest.approx(0.75), 200]
    assert points(tax, "rule:exact:pass_rate") == [1]


def test_a_slice_of_everything_equals_the_whole() -> None:
    rng = np.random.default_rng(1)
    results = frame(
        ["completed"] * 300,
        score=rng.random(300),
        latency_ms=rng.lognormal(6, 1, 300),
        outcome=rng.choice(["passed", "failed"], 300),
    )

    metrics = summarise(results, NO_SCORES, {("all", "yes"): range(300)}, seed=1)

    run, part = by_name(metrics), by_name(metrics, "all", "yes")
    shared = {"pass_rate", "failure_rate", "score_mean", "latency_p50", "latency_p95", "cost_mean"}
    assert {name: run[name].interval for name in shared} == {
        name: part[name].interval for name in shared
    }


def test_the_order_of_the_rows_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    results = frame(
        ["completed"] * 200, score=rng.random(200), group=rng.choice(["a", "b", "c", ""], 200)
    )
    scores = rule_scores("exact", ["pass", "fail"] * 100, rng.random(200).tolist())
    slices = {("tag", "law"): range(90)}

    again = summarise(
        results.sample(frac=1, random_state=2),
        scores.sample(frac=1, random_state=3),
        slices,
        seed=1,
    )

    assert again == summarise(results, scores, slices, seed=1)


def test_trials_of_a_record_are_not_counted_as_more_records() -> None:
    once = frame(["completed"] * 40, outcome=["passed", "failed"] * 20, score=[1.0, 0.0] * 20)
    thrice = pd.concat([once.assign(trial=trial) for trial in range(3)])

    alone = by_name(summarise(once, NO_SCORES, {}, seed=1))
    repeated = by_name(summarise(thrice, NO_SCORES, {}, seed=1))

    assert repeated["pass_rate"].n == 120
    assert repeated["pass_rate"].interval.low == pytest.approx(
        alone["pass_rate"].interval.low, abs=0.01
    )
    assert repeated["score_mean"].interval == alone["score_mean"].interval


def test_groups_widen_every_interval_of_results_that_agree_within_them() -> None:
    groups = np.repeat([f"document {i}" for i in range(20)], 30)
    good = np.repeat(np.arange(20) % 2 == 0, 30)
    results = frame(
        ["completed"] * 600, outcome=np.where(good, "passed", "failed"), score=good.astype(float)
    )

    alone = by_name(summarise(results, NO_SCORES, {}, seed=1))
    grouped = by_name(summarise(results.assign(group=groups), NO_SCORES, {}, seed=1))

    for name in ("pass_rate", "score_mean"):
        wide, narrow = grouped[name].interval, alone[name].interval
        assert wide.point == narrow.point
        assert wide.low is not None
        assert narrow.low is not None
        assert wide.low < narrow.low - 0.1
        assert wide.method.endswith("clustered")


def test_fewer_than_twenty_records_are_too_few_even_with_many_trials() -> None:
    nineteen = pd.concat([frame(["completed"] * 19).assign(trial=trial) for trial in range(3)])

    few = by_name(summarise(nineteen, NO_SCORES, {}, seed=1))
    enough = by_name(summarise(frame(["completed"] * 20), NO_SCORES, {}, seed=1))

    names = ("pass_rate", "score_mean", "latency_p50")
    assert [few[name].too_few for name in names] == [True, True, True]
    assert [enough[name].too_few for name in names] == [False, False, False]


def test_an_empty_run_is_all_zeros_and_reasons() -> None:
    metrics = summarise(frame([]), NO_SCORES, {("tag", "law"): [0, 1]}, invalid=3, seed=1)

    found, law = by_name(metrics), by_name(metrics, "tag", "law")
    assert points(found, "total", "valid", "invalid", "passed") == [3, 0, 3, 0]
    assert found["pass_rate"].interval.reason == "no result passed or failed the contract"
    assert found["latency_p95"].interval.reason == "no evaluated result has a latency"
    assert found["cost_sum"].interval.reason == "no result has its cost"
    assert points(law, "n", "pass_rate", "score_mean") == [0, None, None]


def test_a_hostile_frame_still_makes_json() -> None:
    hostile = [NAN, float("inf"), None, -float("inf"), 0.5]
    results = frame(["completed"] * 5, **dict.fromkeys(("score", "latency_ms", "cost"), hostile))
    results["input_tokens"] = pd.array([1, None, 3, None, 5], dtype="Int64")

    metrics = summarise(results, rule_scores("a", ["skip"] * 5, hostile), {("t", "x"): []}, seed=1)

    text = json.dumps([metric.model_dump() for metric in metrics], allow_nan=False)
    assert "NaN" not in text
    assert points(by_name(metrics), "cost_sum", "input_tokens_sum") == [0.5, 9]


def test_a_mapping_of_arrays_is_as_good_as_a_frame() -> None:
    results = frame(["completed", "timeout"])
    arrays = {name: results[name].to_numpy() for name in results}

    assert summarise(arrays, NO_SCORES, {}, seed=1) == summarise(results, NO_SCORES, {}, seed=1)


def test_several_judges_of_one_rule_stay_one_record() -> None:
    scores = pd.concat(
        [rule_scores("panel", ["pass", "fail"], [1, 0]), rule_scores("panel", ["fail"], [0])]
    )

    found = by_name(summarise(frame(["completed"] * 2), scores, {}, seed=1))

    assert points(found, "rule:panel:pass_rate", "rule:panel:mean") == [1 / 3, 0.25]
    assert found["rule:panel:mean"].n == 2


@pytest.mark.parametrize(
    ("column", "word"), [("status", "invalid_record"), ("outcome", "maybe"), ("status", None)]
)
def test_a_word_that_is_not_known_is_refused(column: str, word: str | None) -> None:
    results = frame(["completed"] * 2)
    results[column] = ["completed" if column == "status" else "passed", word]

    with pytest.raises(ValueError, match=f"{column} may be"):
        summarise(results, NO_SCORES, {}, seed=1)


def test_a_frame_without_its_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="lacks the columns cost, group"):
        summarise(frame(["completed"]).drop(columns=["cost", "group"]), NO_SCORES, {}, seed=1)
