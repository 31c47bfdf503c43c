"""Results, slices and single records of a run: filters, neighbours, what is shown."""

import pytest
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User, Workspace
from apps.runs.models import Run
from apps.runs.queries import (
    ResultFilter,
    counts_of,
    families_of,
    figures_of,
    neighbours,
    results_of,
    run_to_show,
    shown,
    slices_of,
)
from apps.runs.queries.figures import SliceView
from apps.runs.queries.results import OUTCOMES

from . import building
from .building import FAILED_CONTRACT, PASSED, TIMED_OUT


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (ResultFilter(), [0, 1, 2, 3, 4, 5, 6]),
        (ResultFilter(outcome="passed"), [0, 1]),
        (ResultFilter(outcome="failed_contract"), [2]),
        (ResultFilter(outcome="unjudged"), [3]),
        (ResultFilter(outcome="failed"), [4, 5]),
        (ResultFilter(outcome="skipped"), [6]),
        (ResultFilter(outcome="nonsense"), []),
        (ResultFilter(status="timeout"), [4]),
        (ResultFilter(cause="invalid_response"), [5]),
        (ResultFilter(verdict="failed"), [2]),
        (ResultFilter(rule="exact:fail"), [2]),
        (ResultFilter(rule="exact:skip"), [3]),
        (ResultFilter(family="metadata.channel", value="chat"), [1, 4]),
        (ResultFilter(family="metadata.channel", value="chat", outcome="passed"), [1]),
        (ResultFilter(q="ticket-00005"), [5]),
        (ResultFilter(q="00"), [0, 1, 2, 3, 4, 5, 6]),
        (ResultFilter(q="\0"), [0, 1, 2, 3, 4, 5, 6]),
    ],
    ids=lambda case: str(case)[:70],
)
def test_results_are_filtered(
    wanted: ResultFilter, expected: list[int], workspace: Workspace
) -> None:
    version = building.make_version(workspace, 7)
    run = building.ended_run(workspace, building.EVERY_OUTCOME, version=version)

    found = results_of(run, wanted)

    assert [result.ordinal for result in found] == expected


@pytest.mark.django_db
def test_the_outcomes_part_the_results_as_the_denominators_count_them(
    workspace: Workspace,
) -> None:
    version = building.make_version(workspace, 21)
    run = building.ended_run(workspace, building.EVERY_OUTCOME, version=version)

    counts = counts_of(run).denominators.model_dump()

    for outcome in OUTCOMES:
        assert results_of(run, ResultFilter(outcome=outcome)).count() == counts[outcome], outcome


@pytest.mark.django_db
def test_neighbours_stay_inside_the_filter(workspace: Workspace) -> None:
    run = building.ended_run(workspace, [PASSED, FAILED_CONTRACT, PASSED, TIMED_OUT, PASSED])
    passed = results_of(run, ResultFilter(outcome="passed"))

    assert neighbours(passed, 2, 0) == ((0, 0), (4, 0))
    assert neighbours(passed, 0, 0) == (None, (2, 0))
    assert neighbours(passed, 9, 0) == ((7, 0), None)


@pytest.mark.django_db
def test_slices_are_sorted_paged_and_say_where_there_are_too_few(
    ended: Run, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(1):
        page = slices_of(ended, SliceView("tag", "name", 1))

    assert [row.value for row in page.rows] == [f"tag-{number:02d}" for number in range(20)]
    assert all(row.too_few == (row.judged > 0) and row.n == 5 for row in page.rows)
    assert (page.total, page.number, page.pages) == (20, 1, 1)


@pytest.mark.django_db
def test_slices_without_a_rate_come_last_in_either_order(ended: Run) -> None:
    rising = slices_of(ended, SliceView("tag", "rate", 1)).rows
    falling = slices_of(ended, SliceView("tag", "-rate", 1)).rows

    known = [row.of("pass_rate").point for row in rising if row.of("pass_rate").point is not None]
    assert known == sorted(known)
    assert rising[-1].of("pass_rate").point is None
    assert falling[-1].of("pass_rate").point is None
    assert falling[0].of("pass_rate").point == known[-1]


@pytest.mark.django_db
def test_slices_are_sorted_by_how_many_were_judged_as_their_column_says(ended: Run) -> None:
    judged = [row.judged for row in slices_of(ended, SliceView("tag", "-n", 1)).rows]

    assert judged == sorted(judged, reverse=True)
    assert judged[0] > judged[-1] == 0


@pytest.mark.django_db
def test_a_page_of_slices_beyond_the_last_is_the_last(ended: Run) -> None:
    assert slices_of(ended, SliceView("tag", "nonsense", 99)).number == 1


@pytest.mark.django_db
def test_families_that_cut_the_run_in_parts_come_first(ended: Run) -> None:
    assert [family.label for family in families_of(ended)] == [
        "Tag",
        "Length",
        "Channel",
        "Language",
        "Task type",
    ]


@pytest.mark.django_db
def test_figures_before_the_first_summary_have_a_reason(workspace: Workspace) -> None:
    figures = figures_of(building.queued_run(workspace))

    assert figures.as_of is None
    assert figures.of("pass_rate").point is None
    assert figures.of("pass_rate").reason == "Not measured yet."


@pytest.mark.django_db
def test_a_record_is_shown_with_its_scores_attempts_and_slices(
    ended: Run, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    run = run_to_show(alice, ended.workspace).get()

    with django_assert_num_queries(4):
        found = shown(run, 14, 0)

    assert found is not None
    assert found.state == "failed"
    assert found.why == "Below the threshold: exact."
    assert found.messages[0].content.startswith("Ticket 14")
    assert found.reference == "billing 0"
    assert found.expected == {"max_latency_ms": 2_000}
    assert [line.score.rule for line in found.scores] == ["exact", "token_f1", "latency"]
    assert [attempt.number for attempt in found.attempts] == [1]
    assert ("metadata.language", "Language", "French") in found.slices


@pytest.mark.django_db
def test_a_record_without_a_result_waits_and_one_that_is_not_there_is_none(
    workspace: Workspace,
) -> None:
    run = building.running_run(workspace, [PASSED])

    waiting = shown(run, 5, 0)

    assert waiting is not None
    assert waiting.result is None
    assert waiting.state == "waiting"
    assert shown(run, 10, 0) is None
    assert shown(run, 10**12, 0) is None


@pytest.mark.django_db
def test_personal_data_stays_hidden_where_the_workspace_asks(workspace: Workspace) -> None:
    run = building.ended_run(workspace, version=building.make_version(workspace, 1))
    record = run.dataset_version.records.get()
    payload = record.payload.replace("Ticket 0", "Write to jane.roe@example.com")
    type(record).objects.filter(pk=record.pk).update(payload=payload)
    Workspace.objects.filter(pk=workspace.pk).update(redacts_personal_data=True)
    run = Run.objects.get(pk=run.pk)

    found = shown(run, 0, 0)

    assert found is not None
    assert "jane.roe" not in found.messages[0].content
