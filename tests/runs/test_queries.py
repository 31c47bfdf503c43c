"""What pages read of runs: numbers that add up, few queries, the same however they are asked."""

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User, Workspace
from apps.runs import control
from apps.runs.models import Run, RunState, Summary
from apps.runs.queries import (
    RunFilter,
    counts_of,
    progress_of,
    rows_of,
    runs,
    targets_that_ran,
    work_of,
)
from apps.runs.queries.listing import filtered
from apps.runs.queries.progress import (
    Counts,
    Denominators,
    Group,
    Work,
    denominators,
    newest_failures,
)

from . import building
from .building import BROKEN, PASSED, SKIPPED, TIMED_OUT

counted = st.integers(0, 50)


@st.composite
def groups(draw: st.DrawFn) -> tuple[Group, ...]:
    passed, failed, unjudged = draw(counted), draw(counted), draw(counted)
    answered = _group("completed", passed + failed + unjudged, passed, failed)
    others = [
        _group(status, draw(counted), cause=cause)
        for status, cause in draw(
            st.sets(
                st.tuples(
                    st.sampled_from(["timeout", "evaluation_error", "cancelled"]),
                    st.sampled_from(["timeout", "rate_limited", "judge_failed", "cancelled"]),
                )
            )
        )
    ]
    return tuple(group for group in [answered, *others] if group.count)


def _group(status: str, count: int, passed: int = 0, failed: int = 0, cause: str = "") -> Group:
    return Group(status=status, cause=cause, count=count, passed=passed, failed_contract=failed)


def assert_adds_up(found: Denominators) -> None:
    assert found.total == found.valid + found.invalid
    assert found.valid == found.evaluated + found.failed + found.skipped + found.waiting
    assert found.evaluated == found.passed + found.failed_contract + found.unjudged
    assert min(found.model_dump().values()) >= 0


@given(groups(), st.sampled_from(RunState), counted, counted)
def test_denominators_add_up_whatever_became_of_the_records(
    found: tuple[Group, ...], state: RunState, waiting: int, invalid: int
) -> None:
    planned = sum(group.count for group in found) + waiting
    run = Run(
        state=state,
        planned=planned,
        valid_records=planned,
        total_records=planned + invalid,
        plan={"settings": {}},
    )

    result = denominators(run, found)

    assert_adds_up(result)
    assert result.total == planned + invalid
    assert result.waiting == (waiting if run.is_open else 0)


@given(groups(), counted, st.integers(0, 100))
def test_progress_adds_up_to_the_plan(
    found: tuple[Group, ...], waiting: int, retrying: int
) -> None:
    planned = sum(group.count for group in found) + waiting
    run = Run(
        state="running",
        planned=planned,
        valid_records=planned,
        total_records=planned,
        plan={"settings": {}},
    )
    work = Work(
        chunks=2,
        ended=1,
        running=1,
        waiting=0,
        failed=0,
        redelivered=0,
        asked=5,
        retrying_records=retrying,
        next_retry_at=None,
    )

    progress = progress_of(run, Counts(denominators(run, found), found), work, timezone.now())

    parts = progress.scored + progress.retrying + progress.failed + progress.skipped
    assert parts + progress.waiting == progress.planned == planned
    assert 0 <= progress.share <= 1


@pytest.mark.django_db
def test_denominators_of_stored_results_are_those_of_the_summary(
    workspace: Workspace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    version = building.make_version(workspace, 21, rejected=3)
    run = building.ended_run(workspace, building.EVERY_OUTCOME, version=version)

    with django_assert_num_queries(1):
        found = counts_of(run).denominators

    assert_adds_up(found)
    stored = {row.metric: row.point for row in Summary.objects.filter(run=run, family="")}
    for name, count in found.model_dump(exclude={"waiting"}).items():
        assert stored[name] == count, name


@pytest.mark.django_db
def test_an_open_run_counts_what_waits(workspace: Workspace) -> None:
    run = building.running_run(workspace, building.EVERY_OUTCOME)

    found = counts_of(run).denominators

    assert_adds_up(found)
    assert found.waiting == run.planned - len(building.EVERY_OUTCOME)


@pytest.mark.django_db
def test_a_run_that_could_not_begin_has_skipped_its_records(workspace: Workspace) -> None:
    run = building.queued_run(workspace)
    Run.objects.filter(pk=run.pk).update(state="failed", completed_at=timezone.now())
    run.refresh_from_db()

    found = counts_of(run).denominators

    assert_adds_up(found)
    assert found.skipped == run.planned


@pytest.mark.django_db
def test_failures_are_grouped_by_cause_the_largest_first(workspace: Workspace) -> None:
    outcomes = [TIMED_OUT, BROKEN, BROKEN, PASSED]
    run = building.ended_run(workspace, outcomes, version=building.make_version(workspace, 4))

    failures = counts_of(run).failures
    newest = newest_failures(run)

    assert [(group.cause, group.count) for group in failures] == [
        ("invalid_response", 2),
        ("timeout", 1),
    ]
    assert newest["evaluation_error", "invalid_response"].ordinal == 2
    assert newest["timeout", "timeout"].ordinal == 0


@pytest.mark.django_db
def test_chunks_that_wait_for_a_retry_are_told_from_those_that_only_wait(
    workspace: Workspace,
) -> None:
    run = building.running_run(workspace, [PASSED] * 4)

    work = work_of(run)

    assert (work.chunks, work.ended, work.waiting) == (3, 1, 2)
    assert (work.asked, work.retrying_records) == (4, 2)
    assert work.next_retry_at is not None
    assert work.next_retry_at > timezone.now()


@pytest.mark.django_db
def test_a_table_of_runs_takes_two_queries_however_long(
    workspace: Workspace, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    version = building.make_version(workspace)
    for _ in range(3):
        building.ended_run(workspace, by=alice, version=version)
    building.running_run(workspace, [PASSED, TIMED_OUT, SKIPPED], by=alice, version=version)
    listed = list(runs(alice, workspace).order_by("-pk"))

    with django_assert_num_queries(2):
        rows = rows_of(listed)

    assert [row.done for row in rows] == [2, 10, 10, 10]
    assert [row.pass_rate.n for row in rows[1:]] == [10, 10, 10]
    assert rows[0].pass_rate.point is None
    assert all(row.scripted for row in rows)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (RunFilter(), ["open", "bobs"]),
        (RunFilter(state="open"), ["open"]),
        (RunFilter(state="completed_with_failures"), ["bobs"]),
        (RunFilter(mine=True), ["open"]),
        (RunFilter(archived=True), ["archived"]),
        (RunFilter(dataset="unknown"), []),
    ],
    ids=lambda case: str(case)[:60],
)
def test_runs_are_filtered(
    wanted: RunFilter, expected: list[str], workspace: Workspace, alice: User, bob: User
) -> None:
    archived = building.ended_run(workspace, by=bob, name="archived")
    control.archive(archived, by=alice, now=timezone.now())
    building.ended_run(workspace, [PASSED, TIMED_OUT], by=bob, name="bobs")
    building.running_run(workspace, [PASSED], by=alice, name="open")

    found = filtered(runs(alice, workspace), wanted, alice).order_by("-pk")

    assert [run.name for run in found] == expected


@pytest.mark.django_db
def test_runs_are_filtered_by_the_target_that_answered(workspace: Workspace, alice: User) -> None:
    first = building.ended_run(workspace)
    other = building.make_target(workspace, "another")
    second = building.ended_run(workspace, target=other)

    found = filtered(runs(alice, workspace), RunFilter(target=other.pk), alice)

    assert list(found) == [second]
    assert first not in found
    assert [name for _, name in targets_that_ran(alice, workspace)] == ["another", "assistant"]


@pytest.mark.django_db
def test_a_stranger_sees_no_run(workspace: Workspace, charlie: User) -> None:
    building.ended_run(workspace)

    assert not runs(charlie, workspace).exists()
