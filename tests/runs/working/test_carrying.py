"""Follow-ups: answers are taken over, the rest is asked, the parent stays as it was."""

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from apps.runs import control
from apps.runs.beginning.follow_ups import follow_up
from apps.runs.models import Attempt, Result, ResultStatus, Run, RunState
from apps.runs.working import carrying
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

HALF_FAIL = [{"code": "invalid_response", "share": 0.5}]


def _follow(parent: Run, kind: str) -> Run:
    return follow_up(parent, kind=kind, by=None, now=timezone.now())


@pytest.fixture
def cancelled(start: Start, make_version: MakeVersion, make_contract: MakeContract) -> Run:
    """A run of 40 records of which one chunk was answered before it was cancelled."""
    run = prepare(start(version=make_version(40), contract=make_contract()))
    work_on(run.chunks.order_by("pk")[0])
    control.cancel(run, by=None, now=timezone.now())
    return drain(run)


@pytest.fixture
def half_failed(
    start: Start, make_version: MakeVersion, make_target: MakeTarget, make_contract: MakeContract
) -> Run:
    target = make_target(planned_errors=HALF_FAIL)
    run = drain(start(version=make_version(30), target=target, contract=make_contract()))
    assert 0 < statuses(run)["completed"] < 30
    return run


def test_a_resumed_run_asks_only_what_was_left(cancelled: Run) -> None:
    answered = statuses(cancelled)["completed"]

    child = drain(_follow(cancelled, Run.Kind.RESUME))

    assert child.state == RunState.COMPLETED
    assert statuses(child) == {"completed": 40}
    assert child.results.filter(carried=True).count() == answered
    assert child.attempts.count() == 40 - answered


def test_a_retried_run_asks_only_what_failed(half_failed: Run) -> None:
    failed = statuses(half_failed)["evaluation_error"]

    child = drain(_follow(half_failed, Run.Kind.RETRY))

    asked = set(child.attempts.values_list("ordinal", flat=True))
    was_failed = half_failed.results.exclude(status="completed")
    assert asked == set(was_failed.values_list("ordinal", flat=True))
    assert child.results.filter(carried=False).count() == failed


def test_what_left_nothing_is_not_resumed(half_failed: Run) -> None:
    with pytest.raises(ValidationError, match="nothing to resume"):
        _follow(half_failed, Run.Kind.RESUME)


def test_what_did_not_fail_is_not_retried(half_failed: Run) -> None:
    half_failed.results.update(status=ResultStatus.COMPLETED)

    with pytest.raises(ValidationError, match="nothing to retry"):
        _follow(half_failed, Run.Kind.RETRY)


def test_pressing_twice_starts_one_follow_up(half_failed: Run) -> None:
    first, second = (_follow(half_failed, Run.Kind.RETRY) for _ in range(2))

    assert first == second
    drain(first)
    assert _follow(half_failed, Run.Kind.RETRY) != first


def test_carried_answers_keep_their_scores_and_moments(half_failed: Run) -> None:
    child = prepare(_follow(half_failed, Run.Kind.RETRY))

    columns = ("ordinal", "response", "verdict", "score", "first_attempt_at", "latency_ms")
    before = half_failed.results.filter(status="completed").order_by("ordinal")
    after = child.results.order_by("ordinal")
    assert list(after.values_list(*columns)) == list(before.values_list(*columns))
    scores = ("result__ordinal", "rule", "value", "verdict", "verifier")
    kept = half_failed.scores.filter(result__status="completed").order_by("result__ordinal")
    assert list(child.scores.order_by("result__ordinal").values_list(*scores)) == list(
        kept.values_list(*scores)
    )


def test_the_parent_stays_as_it_was(half_failed: Run) -> None:
    before = list(Result.objects.filter(run=half_failed).order_by("pk").values_list())
    attempts = Attempt.objects.filter(run=half_failed).count()

    drain(_follow(half_failed, Run.Kind.RETRY))

    assert list(Result.objects.filter(run=half_failed).order_by("pk").values_list()) == before
    assert Attempt.objects.filter(run=half_failed).count() == attempts


def test_a_fresh_run_carries_nothing(start: Start) -> None:
    assert carrying.carry_answers(start(), lambda: None) == set()


def test_a_worker_that_dies_while_carrying_is_followed_by_one_that_goes_on(
    half_failed: Run,
) -> None:
    child = _follow(half_failed, Run.Kind.RETRY)
    wanted = {
        (result.ordinal, result.trial)
        for result in carrying.kept_results(half_failed.pk, child.kind)
    }
    some = list(carrying.kept_results(half_failed.pk, child.kind).order_by("ordinal")[:4])
    carrying._copy(child, some)

    carried = carrying.carry_answers(child, lambda: None)

    assert carried == wanted
    assert child.results.count() == len(wanted)
    assert child.scores.count() == len(wanted)


def test_nothing_is_carried_without_the_lease(half_failed: Run) -> None:
    child = _follow(half_failed, Run.Kind.RETRY)

    def lost() -> None:
        raise RuntimeError("the lease was lost")

    with pytest.raises(RuntimeError):
        carrying.carry_answers(child, lost)

    assert not child.results.exists()


def test_a_follow_up_of_a_follow_up_carries_what_was_carried(half_failed: Run) -> None:
    child = drain(_follow(half_failed, Run.Kind.RETRY))

    grandchild = drain(_follow(child, Run.Kind.RETRY))

    assert statuses(grandchild) == statuses(half_failed)
    kept = statuses(half_failed)["completed"]
    assert grandchild.results.filter(carried=True).count() == kept


def test_carried_answers_count_in_every_denominator(half_failed: Run) -> None:
    child = drain(_follow(half_failed, Run.Kind.RETRY))

    found = points(child)
    assert found["valid"] == 30
    assert found["evaluated"] + found["failed"] == 30
    assert found["passed"] == half_failed.results.filter(verdict="passed").count()
    assert EXACT["name"] in {score.rule for score in child.scores.all()}


# -- judges ---------------------------------------------------------------------------------


@pytest.fixture
def unreachable(
    start: Start,
    make_version: MakeVersion,
    make_target: MakeTarget,
    make_contract: MakeContract,
    model_server: ModelServer,
) -> Run:
    """A run whose judge was down, and is up again."""
    model_server.plan(faults=[{"mode": "503"}])
    judge = make_target(
        "solomon", kind="openai_chat", base_url=model_server.base_url, model="judge"
    )
    run = drain(start(contract=make_contract(EXACT, JUDGE), judge=judge))
    assert set(run.results.values_list("cause", flat=True)) == {"judge_failed"}
    model_server.plan()
    return run


def test_a_retry_after_a_judge_that_failed_asks_the_judge_alone(unreachable: Run) -> None:
    child = drain(_follow(unreachable, Run.Kind.RETRY))

    assert statuses(child) == {"completed": 10}
    assert not child.attempts.filter(purpose="target").exists()
    assert child.attempts.filter(purpose="judge").exists()
    columns = ("ordinal", "response", "first_attempt_at", "latency_ms", "attempts", "carried")
    was = unreachable.results.order_by("ordinal").values_list(*columns[:-1])
    found = child.results.order_by("ordinal").values_list(*columns)
    assert list(found) == [(*each, True) for each in was]


def test_a_retry_asks_the_target_for_what_has_no_answer_and_the_judge_for_all(
    unreachable: Run,
) -> None:
    unreachable.results.filter(ordinal__lt=3).update(cause="timeout", response="", extra=None)

    child = drain(_follow(unreachable, Run.Kind.RETRY))

    assert statuses(child) == {"completed": 10}
    asked = child.attempts.filter(purpose="target").values_list("ordinal", flat=True)
    assert sorted(asked) == [0, 1, 2]
