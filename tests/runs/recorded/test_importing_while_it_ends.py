"""Scores that come while a recorded run is finalised: its artifacts have all of them or none."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError, connection, transaction

from apps.accounts.models import Workspace
from apps.jobs.leases import Lease, LeaseLost
from apps.jobs.models import JobState
from apps.runs.ending.finalising import finalise
from apps.runs.models import TERMINAL, Run, RunState, RunStep
from apps.runs.recorded.imported import label_of
from tests.datasets.pairs import SCORE_COLUMNS, csv_of, pairs_version, uploaded
from tests.runs.conftest import again, artifact, drain, lease_of, points

MEAN = f"rule:{label_of('grounding', 'x', 'import:judge.csv')}:mean"


class Interrupted(Lease):
    """Something happens right before its n-th renewal."""

    def __init__(self, lease: Lease, before: int, event: Callable[[], None]) -> None:
        super().__init__(lease.job, lease.token)
        self._before = before
        self._event = event

    def renew(self, **columns: object) -> bool:
        if self._before == 0:
            self._event()
        self._before -= 1
        return super().renew(**columns)


@pytest.fixture
def ending(workspace: Workspace) -> Run:
    """A recorded run that waits to be finalised, one score on it."""
    pairs_version(workspace)
    _import(workspace, "p0", 0.5)
    run = Run.objects.get()
    assert run.state == RunState.FINALIZING
    return run


def _import(workspace: Workspace, record: str, value: float) -> None:
    uploaded(workspace, csv_of(SCORE_COLUMNS, [(record, "grounding", value, "x")]), "judge.csv")


def _step(run: Run) -> RunStep:
    return run.steps.get(name=RunStep.Name.FINALISE)


# -- begun anew -----------------------------------------------------------------------------


@pytest.mark.parametrize("before", [0, 2, 8], ids=["numbers", "documents", "the last document"])
def test_scores_that_come_while_it_is_finalised_are_in_all_of_its_artifacts(
    workspace: Workspace, ending: Run, before: int
) -> None:
    step = _step(ending)
    lease = Interrupted(lease_of(step), before, lambda: _import(workspace, "p1", 1))

    with pytest.raises(LeaseLost):
        finalise(step, lease)

    assert RunStep.due().filter(pk=step.pk).exists()
    assert drain(ending).state == RunState.COMPLETED
    assert ending.state_changes.filter(state__in=TERMINAL).count() == 1
    scored = [row["evaluator_scores"] for row in artifact(ending, "predictions.jsonl")]
    assert sum(map(len, scored)) == 2
    assert artifact(ending, "metrics_summary.json")["metrics"][MEAN]["point"] == 0.75
    assert points(ending)[MEAN] == 0.75


def test_scores_that_come_before_its_turn_leave_it_waiting(
    workspace: Workspace, ending: Run
) -> None:
    _import(workspace, "p1", 1)

    assert _step(ending).state == JobState.PENDING
    assert drain(ending).state == RunState.COMPLETED
    assert artifact(ending, "metrics_summary.json")["metrics"][MEAN]["point"] == 0.75


def test_the_same_scores_again_disturb_nobody(workspace: Workspace, ending: Run) -> None:
    step = _step(ending)

    finalise(step, Interrupted(lease_of(step), 2, lambda: _import(workspace, "p0", 0.5)))

    assert again(ending).state == RunState.COMPLETED


def test_a_run_that_has_ended_is_not_finalised_again(workspace: Workspace, ending: Run) -> None:
    drain(ending)

    _import(workspace, "p1", 1)

    assert _step(ending).state == JobState.DONE
    assert again(ending).state == RunState.COMPLETED


# -- locks ----------------------------------------------------------------------------------


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time")
@pytest.mark.django_db(transaction=True)
def test_like_an_import_its_end_locks_the_run_before_its_steps(ending: Run) -> None:
    """In another order the two would wait for each other."""
    step, held = _step(ending), []

    finalise(step, Interrupted(lease_of(step), 1, lambda: held.append(_is_held(ending))))

    assert held == [True]


def _is_held(run: Run) -> bool:
    """Whether somebody else would have to wait for the run."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(_cannot_hold, run).result()


def _cannot_hold(run: Run) -> bool:
    try:
        with transaction.atomic():
            Run.objects.select_for_update(nowait=True, no_key=True).get(pk=run.pk)
    except OperationalError:
        return True
    else:
        return False
    finally:
        connection.close()
