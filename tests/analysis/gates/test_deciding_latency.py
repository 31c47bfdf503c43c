"""Latency of a run with errors: a time-out is slower than every answer."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Workspace
from apps.analysis.gates.checking.looking import grounds_of
from apps.metrics.contracts import Interval
from apps.runs.ending.summaries import metrics_of, store_summaries
from apps.runs.models import Result, Run
from tests.runs.building import BROKEN, PASSED, SKIPPED, START, TIMED_OUT, Outcome, ended_run
from tests.runs.building import make_version as a_version

from .building import a_spec, held, the_check

ANSWERED = [PASSED] * 100
"""In 51 to 150 ms: the 95th percentile is 145.05, with four time-outs beside them 148.85."""
P95 = "latency_p95:at_most"


def timed(workspace: Workspace, outcomes: Sequence[Outcome], trials: int = 1) -> Run:
    """Each answer takes a millisecond longer than the one of the record before it."""
    version = a_version(workspace, len(outcomes) // trials)
    run = ended_run(workspace, outcomes, version=version, trials=trials)
    answers = Result.objects.filter(run=run, status="completed")
    answers.update(latency_ms=51 + F("ordinal"))
    store_summaries(run, metrics_of(run), as_of=START)
    return run


def p95(at_most: float, by: str) -> dict[str, Any]:
    return {"metrics": [{"metric": "latency_p95", "at_most": at_most, "by": by}]}


def with_errors(run: Run, metric: str) -> Interval:
    asked = a_spec(metrics=[{"metric": metric, "at_most": 1e6}])
    return grounds_of(asked, run, None, None).strict[metric]


@pytest.mark.parametrize(
    ("limit", "by", "otherwise"), [(147, "point", "fail"), (150, "bound", "inconclusive")]
)
def test_a_few_time_outs_do_not_leave_the_slowest_answers_as_if_nothing_happened(
    workspace: Workspace, limit: float, by: str, otherwise: str
) -> None:
    answered, run = timed(workspace, ANSWERED), timed(workspace, [*ANSWERED, *[TIMED_OUT] * 4])

    found = held(run, **p95(limit, by))

    assert held(answered, **p95(limit, by)).answer == "pass"
    finding = the_check(found, P95).finding
    assert (found.answer, finding.answer) == ("inconclusive", "inconclusive")
    assert finding.reason.endswith(
        f"With errors as fails the answer would be {otherwise}, and the policy has no limit on "
        "failures."
    )


def test_with_a_limit_on_failures_what_time_outs_make_of_latency_is_told(
    workspace: Workspace,
) -> None:
    run = timed(workspace, [*ANSWERED, *[TIMED_OUT] * 4])

    found = held(run, failure_rate_at_most=0.2, **p95(147, "point"))

    check = the_check(found, P95)
    assert (found.answer, check.answer) == ("pass", "pass")
    assert check.finding.reason.endswith("With errors as fails the answer would be fail.")


def test_among_many_answers_a_few_time_outs_move_the_percentile_and_open_nothing(
    workspace: Workspace,
) -> None:
    run = timed(workspace, [*[PASSED] * 298, TIMED_OUT, BROKEN])

    found = held(run, **p95(400, "bound"))

    assert found.answer == "pass"
    assert "errors" not in the_check(found, P95).finding.reason


def test_the_percentile_is_of_all_that_was_asked_and_not_of_what_was_skipped(
    workspace: Workspace,
) -> None:
    run = timed(workspace, [*ANSWERED, *[TIMED_OUT] * 4, *[SKIPPED] * 50])

    found = with_errors(run, "latency_p95")

    assert (found.point, found.low, found.high) == (pytest.approx(148.85), 144, None)
    assert (found.n, found.method) == (104, "order statistics, errors as fails")
    assert (
        found.reason == "the upper bound of p95 falls among the 4 of 104 that ended with an error"
    )


def test_an_answer_that_no_judge_could_score_took_the_time_that_it_took(
    workspace: Workspace,
) -> None:
    run = timed(workspace, [*ANSWERED, *[BROKEN] * 4])
    unjudged = Result.objects.filter(run=run, ordinal__gte=100)
    unjudged.update(cause="judge_failed", latency_ms=10)

    found = with_errors(run, "latency_p95")

    assert (found.n, found.point, found.reason) == (104, pytest.approx(144.85), "")


def test_tries_of_a_record_are_held_together_with_its_errors(workspace: Workspace) -> None:
    run = timed(workspace, [PASSED, PASSED, PASSED, TIMED_OUT] * 60, trials=4)

    median, slow = with_errors(run, "latency_p50"), with_errors(run, "latency_p95")

    assert (median.n, median.method) == (240, "order statistics, clustered, errors as fails")
    assert median.point == 90.5
    assert None not in (median.low, median.high)
    assert slow.point is None
    assert slow.reason == "p95 falls among the 60 of 240 that ended with an error"


def test_an_answer_without_a_latency_is_neither_fast_nor_slow(workspace: Workspace) -> None:
    run = timed(workspace, [*ANSWERED, *[TIMED_OUT] * 4])
    Result.objects.filter(run=run, ordinal__lt=10).update(latency_ms=None)

    assert with_errors(run, "latency_p95").n == 94


@pytest.mark.parametrize(
    ("errors", "metric", "read"),
    [(4, "latency_p95", 1), (4, "cost_mean", 0), (0, "latency_p95", 0)],
)
def test_latencies_are_read_only_where_errors_are_beside_them(
    workspace: Workspace, errors: int, metric: str, read: int
) -> None:
    run = timed(workspace, [*ANSWERED, *[TIMED_OUT] * errors])
    spec = a_spec(metrics=[{"metric": metric, "at_most": 1e6}])

    with CaptureQueriesContext(connection) as queries:
        grounds_of(spec, run, None, None)

    assert sum("latency_ms" in query["sql"] for query in queries) == read
