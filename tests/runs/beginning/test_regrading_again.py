"""Regrades that did not end well are graded again: every answer is found, nobody is asked."""

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.grading.models import ContractVersion
from apps.runs import control
from apps.runs.beginning.estimating import estimate
from apps.runs.beginning.follow_ups import follow_up
from apps.runs.beginning.regrading import Regrade, order_for_regrade, regrade
from apps.runs.models import ResultStatus, Run, RunState
from tests.model_server import ModelServer
from tests.runs.conftest import (
    EXACT,
    JUDGE,
    MakeContract,
    MakeTarget,
    MakeVersion,
    Start,
    drain,
    points,
    prepare,
    statuses,
    work_on,
)
from tests.runs.pages import Opener

RECORDS = 40


@pytest.fixture
def parent(start: Start, make_version: MakeVersion, make_contract: MakeContract) -> Run:
    return drain(start(version=make_version(RECORDS), contract=make_contract()))


@pytest.fixture
def exact(make_contract: MakeContract) -> ContractVersion:
    return make_contract(EXACT, name="exact")


@pytest.fixture
def cut_short(parent: Run, exact: ContractVersion) -> Run:
    """A regrade of which one chunk was judged before it was cancelled."""
    child = prepare(regrade(Regrade(parent, exact), now=timezone.now()))
    work_on(child.chunks.order_by("pk")[0])
    control.cancel(child, by=None, now=timezone.now())
    drain(child)
    assert child.state == RunState.CANCELLED
    assert 0 < statuses(child)["completed"] < RECORDS
    return child


def graded_again(run: Run) -> Run:
    wanted = Regrade(run, run.contract_version)
    return drain(regrade(wanted, now=timezone.now()))


# -- regrades -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Run.Kind.RESUME, Run.Kind.RETRY])
def test_a_regrade_is_followed_by_grading_again_alone(cut_short: Run, kind: str) -> None:
    with pytest.raises(ValidationError, match="Grade again"):
        follow_up(cut_short, kind=kind, by=None, now=timezone.now())

    assert not cut_short.children.exists()


def test_a_cancelled_regrade_that_is_graded_again_finds_every_answer(
    parent: Run, cut_short: Run
) -> None:
    again = graded_again(cut_short)

    assert again.state == RunState.COMPLETED
    assert statuses(again) == {"completed": RECORDS}
    assert points(again)["pass_rate"] == points(parent)["pass_rate"]
    assert again.parent == parent
    assert not again.attempts.exists()


def test_a_regrade_that_was_cancelled_before_it_began_can_be_graded_again(
    parent: Run, exact: ContractVersion
) -> None:
    child = regrade(Regrade(parent, exact), now=timezone.now())
    control.cancel(child, by=None, now=timezone.now())
    drain(child)

    assert statuses(graded_again(child)) == {"completed": RECORDS}


def test_what_the_first_run_never_answered_stays_so_through_regrades(
    start: Start, make_version: MakeVersion, exact: ContractVersion
) -> None:
    run = prepare(start(version=make_version(RECORDS)))
    work_on(run.chunks.order_by("pk")[0])
    control.cancel(run, by=None, now=timezone.now())
    drain(run)

    child = drain(regrade(Regrade(run, exact), now=timezone.now()))
    grandchild = graded_again(child)

    assert grandchild.parent == child
    assert statuses(grandchild) == statuses(child) == statuses(run)


def test_pressing_twice_on_a_cancelled_regrade_starts_one(cut_short: Run) -> None:
    wanted = Regrade(cut_short, cut_short.contract_version)

    first, second = (regrade(wanted, now=timezone.now()) for _ in range(2))

    assert first == second


@pytest.mark.parametrize("judged", [True, False])
def test_the_page_of_a_cancelled_regrade_offers_to_grade_again_and_nothing_else(
    opened: Opener, workspace: Workspace, cut_short: Run, judged: bool
) -> None:
    if not judged:
        cut_short.results.update(status=ResultStatus.CANCELLED)
    page = opened("detail", cut_short.pk)

    assert reverse("runs:regrade", args=[workspace.slug, cut_short.pk]) in page
    for name in ("resume", "retry"):
        assert reverse(f"runs:{name}", args=[workspace.slug, cut_short.pk]) not in page


# -- judges ---------------------------------------------------------------------------------


def test_a_regrade_whose_judge_was_unreachable_is_graded_again_by_it(
    parent: Run, make_target: MakeTarget, make_contract: MakeContract, model_server: ModelServer
) -> None:
    model_server.plan(faults=[{"mode": "503"}])
    judge = make_target(
        "solomon", kind="openai_chat", base_url=model_server.base_url, model="judge"
    )
    wanted = Regrade(parent, make_contract(JUDGE, name="judge alone"), judge)
    child = drain(regrade(wanted, now=timezone.now()), seconds=120)
    assert statuses(child) == {"evaluation_error": RECORDS}
    model_server.plan()

    again = graded_again(child)

    assert statuses(again) == {"completed": RECORDS}
    assert not again.attempts.filter(purpose="target").exists()
    assert again.targets.get(role="judge").target_version.target == judge


def test_the_estimate_of_a_cancelled_regrade_is_of_all_answers(
    cut_short: Run, make_target: MakeTarget, make_contract: MakeContract, model_server: ModelServer
) -> None:
    judge = make_target(
        "solomon", kind="openai_chat", base_url=model_server.base_url, model="judge"
    )
    wanted = Regrade(cut_short, make_contract(JUDGE, name="judge alone"), judge)

    found = estimate(order_for_regrade(wanted))

    assert (found.target_calls, found.judge_calls) == (0, RECORDS)
