"""A comparison is computed once for what the runs look like, by whoever comes first."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.analysis.comparing import (
    IN_REQUEST,
    ComparisonUnavailable,
    arrays_of,
    asked,
    body_of,
    comparison_of,
)
from apps.analysis.models import Comparison
from apps.jobs import services as jobs
from apps.jobs.leases import LeaseLost, claim
from apps.jobs.models import JobState
from apps.runs.models import Run
from tests.datasets.pairs import SCORE_COLUMNS, csv_of, pairs_csv, pairs_version, uploaded

from .building import a_run, two_runs


@pytest.fixture
def runs(workspace: Workspace) -> tuple[Run, Run]:
    return two_runs(workspace, "++--", "+-+-")


def test_asked_again_it_is_the_stored_one(runs: tuple[Run, Run]) -> None:
    first = comparison_of(*runs)
    again = comparison_of(*runs)
    [listed] = asked(runs[0], [runs[1]])

    assert first.pk == again.pk == listed.pk
    assert (first.state, first.deliveries) == (JobState.DONE, 1)
    assert again.as_of == first.as_of is not None
    assert Comparison.objects.count() == 1


def test_the_other_way_round_is_another_comparison(runs: tuple[Run, Run]) -> None:
    there, back = comparison_of(*runs), comparison_of(*runs[::-1])

    assert there.pk != back.pk
    assert Comparison.objects.count() == 2


def test_several_runs_are_held_against_one_in_their_order(
    workspace: Workspace, runs: tuple[Run, Run]
) -> None:
    third = a_run(workspace, "----", runs[0].dataset_version)

    found = asked(runs[0], [third, runs[1]])

    assert [each.candidate for each in found] == [third, runs[1]]
    assert all(body_of(each).shared.shared == 4 for each in found)


def test_what_is_heavy_waits_for_a_worker(runs: tuple[Run, Run]) -> None:
    Run.objects.update(planned=IN_REQUEST)
    baseline, candidate = (Run.objects.get(pk=run.pk) for run in runs)

    [waiting] = asked(baseline, [candidate])
    assert (waiting.body, waiting.is_open) == (None, True)
    with pytest.raises(ComparisonUnavailable):
        body_of(waiting)
    with pytest.raises(ComparisonUnavailable):
        arrays_of(waiting)
    jobs.work_here(lambda: Comparison.objects.filter(state=JobState.DONE).exists())

    [done] = asked(baseline, [candidate])
    assert done.pk == waiting.pk
    assert len(arrays_of(done)) == 4


def test_light_ones_are_computed_while_heavy_ones_wait(
    workspace: Workspace, runs: tuple[Run, Run]
) -> None:
    heavy = a_run(workspace, "----", runs[0].dataset_version)
    Run.objects.filter(pk=heavy.pk).update(planned=IN_REQUEST)
    heavy.refresh_from_db()

    found = asked(runs[0], [heavy, runs[1]])

    assert [each.body is None for each in found] == [True, False]


def test_scores_that_come_later_make_a_new_comparison(workspace: Workspace) -> None:
    first, second = recorded(workspace, "a"), recorded(workspace, "b")
    scored(workspace, "a", 0.5)
    scored(workspace, "b", 0.5)
    before = comparison_of(first, second)

    scored(workspace, "b", 0.75)
    after = comparison_of(first, second)
    same = comparison_of(first, second)

    assert after.pk != before.pk
    assert same.pk == after.pk
    means = [body_of(each).of("rule:grounding · x · judge:mean") for each in (before, after)]
    assert [each.candidate.point for each in means if each] == [0.5, 0.75]
    assert Comparison.objects.filter(pk=before.pk, body__isnull=False).exists()


def recorded(workspace: Workspace, name: str) -> Run:
    from apps.runs.recorded.recording import recorded_run
    from tests.runs.conftest import drain

    rows = [{"id": f"p{n}", "query": f"Lamp {n}?", "response": f"{name} {n}"} for n in range(3)]
    version = pairs_version(workspace, pairs_csv(*rows), f"{name}.csv")
    run = drain(recorded_run(version, by=None, now=timezone.now()))
    return Run.objects.get(pk=run.pk)


def scored(workspace: Workspace, name: str, value: float) -> None:
    rows = [(f"p{n}", "grounding", value, "x", "judge") for n in range(3)]
    content = csv_of((*SCORE_COLUMNS, "verifier"), rows)
    upload = uploaded(workspace, content, f"scores-{name}.csv", on=name)
    assert upload.outcome is not None
    assert upload.outcome["status"] < 300, upload.outcome


def test_whoever_was_killed_in_the_middle_leaves_it_to_the_next(runs: tuple[Run, Run]) -> None:
    [row] = _unfinished(runs)
    assert claim(Comparison, row.pk) is not None
    past = timezone.now() - timedelta(hours=1)
    Comparison.objects.update(lease_until=past)

    found = comparison_of(*runs)

    assert (found.pk, found.state, found.deliveries) == (row.pk, JobState.DONE, 2)
    assert body_of(found).shared.shared == 4


def test_whoever_lost_the_lease_writes_nothing(runs: tuple[Run, Run]) -> None:
    [row] = _unfinished(runs)
    late = claim(Comparison, row.pk)
    assert late is not None
    Comparison.objects.update(lease_until=timezone.now() - timedelta(hours=1))
    finished = comparison_of(*runs)

    with pytest.raises(LeaseLost):
        late.job.perform(late)

    kept = Comparison.objects.get()
    assert (kept.as_of, kept.state) == (finished.as_of, JobState.DONE)


def test_who_waits_for_a_worker_gets_what_it_computed(runs: tuple[Run, Run]) -> None:
    [row] = _unfinished(runs)
    lease = claim(Comparison, row.pk)
    assert lease is not None
    jobs.perform(lease)

    assert comparison_of(*runs).deliveries == 1


def test_what_broke_is_told_and_tried_again_a_while_later(runs: tuple[Run, Run]) -> None:
    [row] = _unfinished(runs)
    failed = {"state": JobState.FAILED, "error": "MemoryError: too much"}
    Comparison.objects.update(**failed, finished_at=timezone.now())

    with pytest.raises(ComparisonUnavailable, match="too much"):
        comparison_of(*runs)
    assert asked(runs[0], [runs[1]])[0].state == JobState.FAILED
    Comparison.objects.update(finished_at=timezone.now() - timedelta(minutes=5))
    found = comparison_of(*runs)

    assert (found.pk, found.state, found.error) == (row.pk, JobState.DONE, "")


def _unfinished(runs: tuple[Run, Run]) -> list[Comparison]:
    from apps.analysis.comparing.asking import standing

    return standing(runs[0], [runs[1]])


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(
    connection.vendor == "sqlite",
    reason="SQLite in memory locks whole tables; test_processes.py does it on a file",
)
def test_two_who_ask_at_once_get_one_row_computed_once(workspace: Workspace) -> None:
    runs = two_runs(workspace, "++--" * 20, "+-+-" * 20)
    found: list[Comparison] = []
    together = threading.Barrier(4)

    def ask() -> None:
        together.wait()
        found.append(comparison_of(*runs))

    _at_once([ask] * 4)

    assert len({each.pk for each in found}) == 1
    assert len(found) == 4
    assert Comparison.objects.get().deliveries == 1


def _at_once(actions: list[Callable[[], None]]) -> None:
    def closing(action: Callable[[], None]) -> None:
        try:
            action()
        finally:
            connection.close()

    threads = [threading.Thread(target=closing, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
