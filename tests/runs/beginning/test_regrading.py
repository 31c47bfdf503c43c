"""Regrades: a new run that judges the answers of another one, and asks its target nothing."""

import pytest
from django.core.exceptions import ValidationError

from apps.grading.models import ContractVersion
from apps.jobs import services as jobs
from apps.runs.engine.items import Again, Finished
from apps.runs.models import Chunk, Run, RunState
from apps.runs.working import chunks
from apps.targets.models import Target
from tests.model_server import ModelServer
from tests.runs.conftest import (
    EXACT,
    MakeContract,
    MakeTarget,
    MakeVersion,
    Start,
    again,
    artifact,
    drain,
    expire,
    lease_of,
    points,
    prepare,
    statuses,
    work_on,
)

from .regraded import graded

COLUMNS = (
    *("ordinal", "trial", "response", "latency_ms", "input_tokens", "output_tokens"),
    *("total_tokens", "cost", "attempts", "target_version", "first_attempt_at"),
    *("last_attempt_at", "extra"),
)


def test_the_answers_are_judged_anew_and_nobody_is_asked(
    parent: Run, never: ContractVersion
) -> None:
    child = graded(parent, never)

    assert child.kind == Run.Kind.REGRADE
    assert child.parent == parent
    assert child.contract_version == never
    answered = child.results.filter(status="completed")
    assert set(answered.values_list("verdict", "carried")) == {("failed", True)}
    assert set(child.scores.values_list("rule", flat=True)) == {"never"}
    assert not child.attempts.exists()


def test_an_answer_comes_with_all_that_was_measured_of_it(
    parent: Run, never: ContractVersion
) -> None:
    child = graded(parent, never)

    was = parent.results.order_by("ordinal", "trial").values_list(*COLUMNS)
    assert list(child.results.order_by("ordinal", "trial").values_list(*COLUMNS)) == list(was)


def test_what_has_no_answer_stays_as_it_is(parent: Run, never: ContractVersion) -> None:
    child = graded(parent, never)

    assert statuses(child) == statuses(parent)
    columns = ("ordinal", "status", "cause", "detail")
    was = parent.results.exclude(status="completed").order_by("ordinal")
    found = child.results.exclude(status="completed").order_by("ordinal")
    assert list(found.values_list(*columns)) == list(was.values_list(*columns))
    assert child.state == RunState.COMPLETED_WITH_FAILURES


def test_the_old_numbers_stay_and_the_new_run_has_artifacts_of_its_own(
    parent: Run, never: ContractVersion
) -> None:
    before = list(parent.results.order_by("pk").values_list())
    scores, seal = list(parent.scores.order_by("pk").values_list()), parent.bundle

    child = graded(parent, never)

    assert list(parent.results.order_by("pk").values_list()) == before
    assert list(parent.scores.order_by("pk").values_list()) == scores
    assert again(parent).bundle == seal
    assert child.bundle not in (None, seal)
    assert points(parent)["pass_rate"] == 1
    assert points(child)["pass_rate"] == 0
    assert artifact(child, "run_manifest.json")["parent_run_id"] == parent.pk
    assert artifact(child, "predictions.jsonl")[0]["carried"]


def test_a_regrade_of_a_regrade_judges_the_same_answers(
    parent: Run, never: ContractVersion, make_contract: MakeContract
) -> None:
    child = graded(parent, never)

    grandchild = graded(child, make_contract(EXACT, name="again"))

    assert grandchild.parent == child
    assert points(grandchild)["pass_rate"] == points(parent)["pass_rate"]
    assert statuses(grandchild) == statuses(parent)


def test_pressing_twice_starts_one_and_another_contract_another(
    parent: Run, never: ContractVersion, make_contract: MakeContract
) -> None:
    first, second = (graded(parent, never, end=False) for _ in range(2))
    other = graded(parent, make_contract(EXACT, name="again"), end=False)

    assert first == second
    assert other not in (first, parent)
    drain(first, other)
    assert graded(parent, never, end=False) != first


def test_a_run_that_goes_on_is_not_graded_again(start: Start, never: ContractVersion) -> None:
    with pytest.raises(ValidationError, match="wait until it has ended"):
        graded(start(), never)


def test_a_run_without_an_answer_is_not_graded_again(
    start: Start, make_target: MakeTarget, never: ContractVersion
) -> None:
    errors = [{"code": "refused", "share": 1.0}]
    run_ = drain(start(target=make_target(planned_errors=errors)))

    with pytest.raises(ValidationError, match="nothing to grade"):
        graded(run_, never)


def test_pilot_and_trials_are_those_of_the_parent(
    start: Start, make_version: MakeVersion, never: ContractVersion
) -> None:
    made = drain(start(version=make_version(30), pilot=True, trials=2))

    child = graded(made, never)

    assert child.plan["settings"]["pilot"] == made.plan["settings"]["pilot"]
    assert child.trials == 2
    assert child.results.filter(verdict="failed").count() == 20
    assert child.total_records == made.total_records


def test_without_a_contract_only_the_rules_of_the_data_count(parent: Run) -> None:
    child = graded(parent, None)

    assert set(child.results.filter(status="completed").values_list("verdict", flat=True)) == {""}
    assert not child.scores.exists()


def test_a_regrade_without_judges_takes_no_room_of_the_target(
    parent: Run, never: ContractVersion, start: Start
) -> None:
    child = prepare(graded(parent, never, end=False))
    Chunk.objects.filter(run=child).update(state="sent")
    other = prepare(
        start(version=parent.dataset_version, target=Target.objects.get(), name="beside")
    )

    assert child.slots == 0
    assert chunks.admits(other.chunks.first())


def test_no_secret_of_the_target_is_needed(
    start: Start,
    make_target: MakeTarget,
    model_server: ModelServer,
    never: ContractVersion,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MODEL_KEY", "s3cr3t-of-the-model")
    target = make_target(
        kind="openai_chat", base_url=model_server.base_url, api_key_env="MODEL_KEY"
    )
    made = drain(start(target=target))
    monkeypatch.delenv("MODEL_KEY")
    asked = model_server.stats()["requests"]

    child = graded(made, never)

    assert child.state == RunState.COMPLETED
    assert model_server.stats()["requests"] == asked


# -- killed in the middle -------------------------------------------------------------------


def test_a_worker_that_dies_amid_a_regrade_loses_and_doubles_nothing(
    parent: Run, never: ContractVersion
) -> None:
    child = prepare(graded(parent, never, end=False))
    chunk = child.chunks.order_by("pk")[0]
    lease = lease_of(chunk)
    work = chunks.load(child, lease.job, lease)
    first, *rest = work.items
    work.sheet.add(Finished(first, "completed"))
    for item in rest:
        work.sheet.add(Again(item, 0.0))
    assert work.sheet.flush()
    expire(chunk)

    jobs.recover(Chunk)
    drain(child)

    assert statuses(child) == statuses(parent)
    assert child.results.count() == 20
    assert child.results.filter(verdict="failed").count() == child.scores.count()
    assert child.scores.count() == statuses(parent)["completed"] - 1  # the first had no rules


def test_preparing_twice_carries_once(parent: Run, never: ContractVersion) -> None:
    child = graded(parent, never, end=False)
    step = child.steps.get(name="prepare")
    work_on(step)
    child.steps.filter(pk=step.pk).update(state="pending", lease="", lease_until=None)

    work_on(step)
    drain(child)

    assert child.results.count() == 20
