"""The stored numbers: refreshed while a run is open, final when it ends, null with a reason."""

from datetime import timedelta

from django.utils import timezone

from apps.jobs.models import JobState
from apps.runs.ending import summaries
from apps.runs.models import RunState, RunStep, Summary
from tests.runs.conftest import (
    MakeContract,
    MakeTarget,
    MakeVersion,
    Start,
    again,
    drain,
    lease_of,
    points,
    prepare,
    sums,
    work_on,
)

SUMMARISE = RunStep.Name.SUMMARISE
COUNTS = ("total", "valid", "invalid", "evaluated", "failed", "skipped")


def test_the_denominators_add_up_with_rejected_and_failed_records(
    start: Start, make_version: MakeVersion, make_target: MakeTarget, make_contract: MakeContract
) -> None:
    records = sums(20)
    records[3]["tags"] = "not a list"
    target = make_target(
        planned_errors=[{"code": "refused", "share": 0.3}, {"code": "timeout", "share": 0.2}],
        wrong_rate=0.5,
    )

    run = drain(
        start(version=make_version(records=records), target=target, contract=make_contract())
    )

    found = points(run)
    assert found["total"] == 20
    assert found["invalid"] == 1
    assert found["valid"] == found["evaluated"] + found["failed"] + found["skipped"] == 19
    assert found["evaluated"] == found["passed"] + found["failed_contract"] + found["unjudged"]
    assert found["failed"] > 0


def test_slices_share_their_records_out(start: Start, make_contract: MakeContract) -> None:
    run = drain(start(contract=make_contract()))

    shares = run.summaries.filter(family="tag", metric="failure_rate")
    assert dict(shares.values_list("value", "n")) == {"even": 5, "odd": 5}


def test_what_cannot_be_said_is_null_with_a_reason(start: Start) -> None:
    run = drain(start())

    unpriced = run.summaries.get(family="", metric="cost_sum")
    assert unpriced.point is None
    assert unpriced.reason
    assert not Summary.objects.filter(run=run, point__isnull=True, reason="").exists()


def test_an_open_run_is_summarised_and_comes_up_again(
    start: Start, make_version: MakeVersion
) -> None:
    run = prepare(start(version=make_version(40)))
    work_on(run.chunks.order_by("pk")[0])
    before = timezone.now()

    step = work_on(run.steps.get(name=SUMMARISE))

    done = run.chunks.get(state=JobState.DONE).total
    assert points(run)["valid"] == done
    assert step.state == JobState.PENDING
    assert step.not_before - before >= timedelta(seconds=summaries.REFRESH_SECONDS)


def test_a_refresh_that_ends_late_does_not_overwrite_the_last_numbers(
    start: Start, make_version: MakeVersion
) -> None:
    """It read its numbers before the finaliser stored the last ones."""
    run = prepare(start(version=make_version(20)))
    step = run.steps.get(name=SUMMARISE)
    lease = lease_of(step)
    drain(run)
    final = points(run)

    again(step).perform(lease)

    assert points(run) == final
    assert final["evaluated"] == 20
    assert again(step).state == JobState.CANCELLED


def test_the_last_summary_stops_the_refreshing(start: Start) -> None:
    run = drain(start())

    assert run.state == RunState.COMPLETED
    assert run.steps.get(name=SUMMARISE).state == JobState.CANCELLED
    assert set(COUNTS) <= set(points(run))
