"""Several trials of each record: started, frozen, counted in tries, summed up, carried over."""

from itertools import product
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import Workspace
from apps.datasets.models import DatasetVersion
from apps.runs import control
from apps.runs.beginning.estimating import estimate
from apps.runs.beginning.follow_ups import follow_up
from apps.runs.beginning.starting import KeyTaken, Order, start_run
from apps.runs.models import Result, Run, RunState, Summary
from apps.runs.queries import ResultFilter, counts_of, progress_of, results_of, rows_of, work_of
from apps.runs.queries.trials import first_flaky, flaky_ordinals, of_records
from apps.targets.models import Target

from . import building
from .building import BROKEN, FAILED_CONTRACT, PASSED, SKIPPED, TIMED_OUT, UNJUDGED
from .conftest import (
    MakeContract,
    MakeTarget,
    MakeVersion,
    Start,
    artifact,
    drain,
    points,
    prepare,
    statuses,
    work_on,
)

pytestmark = pytest.mark.django_db

SOMETIMES = [{"code": "invalid_response", "share": 0.3}]


@pytest.fixture
def tried(
    start: Start, make_version: MakeVersion, make_target: MakeTarget, make_contract: MakeContract
) -> Run:
    """Ten records, three trials each, of a target that is often wrong and sometimes breaks."""
    target = make_target(wrong_rate=0.5, planned_errors=SOMETIMES)
    return drain(start(version=make_version(10), target=target, contract=make_contract(), trials=3))


def assert_adds_up(counts: dict[str, int], total: int) -> None:
    assert counts["total"] == total == counts["valid"] + counts["invalid"]
    parts = counts["evaluated"] + counts["failed"] + counts["skipped"] + counts.get("waiting", 0)
    assert counts["valid"] == parts
    judged = counts["passed"] + counts["failed_contract"] + counts["unjudged"]
    assert counts["evaluated"] == judged


# -- from the start to the end ----------------------------------------------------------------


def test_every_record_is_tried_as_often_as_the_plan_says(tried: Run) -> None:
    places = set(tried.results.values_list("ordinal", "trial"))

    assert tried.plan["settings"]["trials"] == 3
    assert (tried.planned, tried.valid_records, tried.trials) == (30, 10, 3)
    assert places == set(product(range(10), range(3)))
    assert set(tried.attempts.values_list("ordinal", "trial")) == places


def test_trials_are_asked_apart(tried: Run) -> None:
    responses = tried.results.filter(status="completed").values_list("ordinal", "verdict")

    assert len(set(responses)) > len({ordinal for ordinal, _verdict in responses})


def test_all_numbers_of_a_run_are_counted_in_tries(tried: Run) -> None:
    live = counts_of(tried).denominators.model_dump()
    stored = {name: points(tried)[name] for name in live if name != "waiting"}
    summary = artifact(tried, "metrics_summary.json")

    assert_adds_up(live, 30)
    assert stored == {name: count for name, count in live.items() if name != "waiting"}
    assert (summary["trials"], summary["counted_in"]) == (3, "tries")
    assert summary["total_records"] == len(artifact(tried, "predictions.jsonl")) == 30
    assert rows_of([tried])[0].done == tried.planned


def test_rejected_records_are_counted_in_tries_too(
    workspace: Workspace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    version = building.make_version(workspace, 7, rejected=2)
    run = building.ended_run(workspace, building.EVERY_OUTCOME, version=version, trials=4)

    with django_assert_num_queries(1):
        live = counts_of(run).denominators.model_dump()

    assert_adds_up(live, 36)
    assert (live["valid"], live["invalid"]) == (28, 8)
    assert points(run)["invalid"] == 8


def test_an_open_run_counts_the_tries_that_wait(workspace: Workspace) -> None:
    run = building.running_run(workspace, [PASSED, FAILED_CONTRACT, TIMED_OUT], trials=2)

    counts = counts_of(run)
    progress = progress_of(run, counts, work_of(run), timezone.now())

    assert_adds_up(counts.denominators.model_dump(), 20)
    assert counts.denominators.waiting == 17
    assert (progress.planned, progress.finished) == (20, 3)


def test_a_cancelled_run_accounts_for_every_try_and_a_resume_asks_the_rest(
    start: Start, make_version: MakeVersion, make_contract: MakeContract
) -> None:
    run = prepare(start(version=make_version(40), contract=make_contract(), trials=2))
    work_on(run.chunks.order_by("pk")[0])
    control.cancel(run, by=None, now=timezone.now())
    parent = drain(run)

    child = drain(follow_up(parent, kind=Run.Kind.RESUME, by=None, now=timezone.now()))

    assert sum(statuses(parent).values()) == 80
    assert 0 < statuses(parent)["cancelled"] < 80
    assert (child.trials, child.planned, child.state) == (2, 80, RunState.COMPLETED)
    assert statuses(child) == {"completed": 80}
    assert child.attempts.count() == statuses(parent)["cancelled"]


def test_a_retry_asks_the_tries_that_failed_and_carries_the_others(tried: Run) -> None:
    failed = tried.results.exclude(status="completed").count()

    child = drain(follow_up(tried, kind=Run.Kind.RETRY, by=None, now=timezone.now()))

    assert 0 < failed < 30
    assert (child.trials, child.results.count()) == (3, 30)
    assert child.results.filter(carried=False).count() == failed


def test_nothing_is_left_to_resume_when_every_try_has_its_result(tried: Run) -> None:
    with pytest.raises(ValidationError, match="nothing to resume"):
        follow_up(tried, kind=Run.Kind.RESUME, by=None, now=timezone.now())


def test_another_number_of_trials_is_another_run(start: Start, make_version: MakeVersion) -> None:
    version = make_version(2)
    first = start(version=version, trials=2, idempotency_key="nightly")
    order = Order(
        workspace=first.workspace,
        version=version,
        target=first.targets.get().target_version,
        options=building.StartOptions(trials=3, idempotency_key="nightly"),
    )

    with pytest.raises(KeyTaken):
        start_run(order, now=timezone.now())


def test_one_trial_is_as_it_always_was(start: Start, make_contract: MakeContract) -> None:
    run = drain(start(contract=make_contract()))

    metrics = artifact(run, "metrics_summary.json")["metrics"]
    assert (run.planned, run.trials, run.counted_in) == (10, 1, "records")
    assert not [name for name in metrics if "pass@" in name or name.startswith("record_")]
    assert of_records(run, [0, 1]) == {}
    assert first_flaky(run) == []


@pytest.mark.parametrize("trials", [2, 20])
def test_an_estimate_multiplies(
    workspace: Workspace, tickets: DatasetVersion, assistant: Target, trials: int
) -> None:
    def found(**options: Any) -> Any:
        return estimate(
            Order(
                workspace=workspace,
                version=tickets,
                target=assistant.current,
                options=building.StartOptions(**options),
            )
        )

    once, often = found(), found(trials=trials)

    assert (often.records, often.trials) == (once.records, trials)
    assert often.target_calls == trials * once.target_calls
    assert often.cost == pytest.approx(trials * once.cost, rel=0.01)


# -- what the trials make of a record ---------------------------------------------------------

FOUR = {
    0: [PASSED, PASSED, PASSED],
    1: [PASSED, FAILED_CONTRACT, PASSED],
    2: [FAILED_CONTRACT, TIMED_OUT, PASSED],
    3: [FAILED_CONTRACT, FAILED_CONTRACT, BROKEN],
    4: [PASSED, UNJUDGED, SKIPPED],
}


@pytest.fixture
def mixed(workspace: Workspace) -> Run:
    version = building.make_version(workspace, len(FOUR))
    outcomes = [outcome for tries in FOUR.values() for outcome in tries]
    return building.ended_run(workspace, outcomes, version=version, trials=3)


def test_flaky_are_the_records_that_passed_in_some_trials_and_failed_in_others(
    mixed: Run, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(2):
        first = first_flaky(mixed)

    assert set(flaky_ordinals(mixed).values_list("ordinal", flat=True)) == {1, 2}
    assert [(each.record_id, each.passed, each.judged) for each in first] == [
        ("ticket-00001", 2, 3),
        ("ticket-00002", 1, 2),
    ]
    assert points(mixed)["flaky_records"] == 2


def test_the_filter_leaves_every_try_of_a_flaky_record(mixed: Run) -> None:
    found = results_of(mixed, ResultFilter(flaky="1"))

    assert list(found.values_list("ordinal", "trial")) == list(product([1, 2], range(3)))


def test_a_record_is_what_its_tries_make_of_it(
    mixed: Run, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(1):
        found = of_records(mixed, FOUR)

    assert [found[ordinal].state for ordinal in FOUR] == [
        "passed",
        "passed",
        "failed",  # one of two is not most
        "failed",
        "passed",
    ]
    assert [each.state for each in found[2].tries] == ["failed", "timeout", "passed"]
    assert found[1].score == pytest.approx((1 + 0.2 + 1) / 3)


def test_a_try_that_has_not_ended_waits(workspace: Workspace) -> None:
    run = building.running_run(workspace, [PASSED, FAILED_CONTRACT, PASSED], trials=2)

    found = of_records(run, [1, 2])

    assert [each.state for each in found[1].tries] == ["passed", "waiting"]
    assert [each.state for each in found[2].tries] == ["waiting", "waiting"]
    assert found[2].state == "unjudged"


def test_the_page_and_the_summary_count_the_same_records(workspace: Workspace) -> None:
    version = building.make_version(workspace, 40)
    contract = building.demanding_contract(workspace)
    run = building.ended_run(workspace, version=version, contract=contract, trials=5)

    found = of_records(run, range(40)).values()

    told = [each.passes for each in found if each.passes is not None]
    rate = Summary.objects.get(run=run, metric="record_pass_rate")
    assert (rate.n, rate.point) == (len(told), pytest.approx(sum(told) / len(told)))
    assert points(run)["flaky_records"] == sum(each.flaky for each in found)
    scores = [each.score for each in found if each.score is not None]
    assert points(run)["record_score_mean"] == pytest.approx(sum(scores) / len(scores))


def test_an_error_is_no_pass_and_no_fail_and_both_are_told(mixed: Run) -> None:
    found = points(mixed)

    judged, as_fails = found["pass@1"], found["pass@1:errors_as_fails"]
    assert judged == pytest.approx((1 + 2 / 3 + 1 / 2 + 0 + 1) / 5)
    assert as_fails == pytest.approx((1 + 2 / 3 + 1 / 3 + 0 + 1) / 5)
    assert Result.objects.filter(run=mixed, verdict="", status="completed").count() == 0


# -- thresholds -------------------------------------------------------------------------------


def test_every_threshold_is_checked_in_the_artifact_by_what_was_asked(
    start: Start, make_version: MakeVersion, make_target: MakeTarget, workspace: Workspace
) -> None:
    run = drain(
        start(
            version=make_version(50),
            target=make_target(wrong_rate=0.3, price_input=1.0, price_output=1.0),
            contract=building.demanding_contract(workspace),
        )
    )

    checks = {check["metric"]: check for check in artifact(run, "metrics_summary.json")["checks"]}
    metrics = artifact(run, "metrics_summary.json")["metrics"]

    assert {name: check["by"] for name, check in checks.items()} == {
        "score_mean": "lower",
        "pass_rate": "point",
        "worst_slice": "lower",
        "failure_rate": "upper",
        "latency_p95": "point",
        "cost_mean": "upper",
    }
    bounds = {"lower": "low", "upper": "high", "point": "point"}
    for name, check in checks.items():
        assert check["bound"] == metrics[name][bounds[check["by"]]], name
        assert check["verdict"] in ("pass", "fail", "unsure")
    assert checks["worst_slice"]["reason"].startswith("tag: ")


def test_what_the_worst_slice_is_called_is_redacted_in_the_artifact(
    start: Start, make_version: MakeVersion, make_target: MakeTarget, workspace: Workspace
) -> None:
    records = [
        {
            "record_id": f"q_{number}",
            "input": {"prompt": f"What is {number} plus 1?"},
            "reference": {"answer": str(number + 1)},
            "tags": [f"the tickets that belong to {'carol@example.org' if number < 25 else 'us'}"],
        }
        for number in range(50)
    ]
    contract = building.demanding_contract(workspace)
    wrong = {record["input"]["prompt"]: "No idea." for record in records[:25]}  # type: ignore[index]
    target = make_target(canned=wrong)

    run = drain(start(version=make_version(records=records), target=target, contract=contract))

    summary = artifact(run, "metrics_summary.json")
    stored = Summary.objects.get(run=run, family="", metric="worst_slice")
    assert "carol@exam" in stored.reason  # clipped there, so the name is redacted whole
    assert "carol" not in str(summary)
    assert summary["metrics"]["worst_slice"]["reason"].startswith("tag: the tickets")
    assert run.bundle is not None
    assert run.bundle.artifacts.get(name="metrics_summary.json").redactions
