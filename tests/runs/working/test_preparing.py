"""Before the first question: chunks that cover every record once, or a reason why not."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from apps.datasets.models import Record
from apps.jobs import services as jobs
from apps.jobs.models import JobState
from apps.runs.models import Run, RunState, RunStep
from tests.runs.conftest import (
    MakeTarget,
    MakeVersion,
    Start,
    again,
    artifact,
    drain,
    expire,
    lease_of,
    prepare,
    statuses,
    sums,
    work_on,
)

PREPARE, SUMMARISE = RunStep.Name.PREPARE, RunStep.Name.SUMMARISE


def test_every_record_is_in_exactly_one_chunk(start: Start, make_version: MakeVersion) -> None:
    run = prepare(start(version=make_version(57)))

    items = [tuple(item) for chunk in run.chunks.all() for item in chunk.items]
    assert sorted(items) == [(ordinal, 0) for ordinal in range(57)]
    assert len(items) == len(set(items))
    assert sum(chunk.total for chunk in run.chunks.all()) == 57


def test_rejected_records_are_in_no_chunk(start: Start, make_version: MakeVersion) -> None:
    records = sums(4)
    records[1]["input"] = "not an object"

    run = prepare(start(version=make_version(records=records)))

    ordinals = [item[0] for chunk in run.chunks.all() for item in chunk.items]
    assert sorted(ordinals) == [0, 2, 3]
    assert (run.total_records, run.valid_records) == (4, 3)


def test_a_prepared_run_is_running_with_its_moments(start: Start) -> None:
    run = prepare(start())

    states = list(run.state_changes.values_list("state", flat=True))
    assert states == [RunState.QUEUED, RunState.VALIDATING, RunState.RUNNING]
    assert run.started_at == run.state_changes.get(state=RunState.VALIDATING).at
    assert run.steps.get(name=PREPARE).state == JobState.DONE
    assert run.steps.filter(name=SUMMARISE).exists()


def test_a_second_delivery_changes_nothing(start: Start) -> None:
    run = prepare(start())
    before = list(run.chunks.order_by("pk").values_list("pk", "items"))

    jobs.look_at(RunStep, run.steps.get(name=PREPARE).pk)

    assert list(run.chunks.order_by("pk").values_list("pk", "items")) == before
    assert run.state_changes.count() == 3


def test_a_worker_that_died_while_preparing_leaves_nothing_half_done(start: Start) -> None:
    run = start()
    step = run.steps.get(name=PREPARE)
    Run.objects.filter(pk=run.pk).update(state=RunState.VALIDATING, started_at=Now())
    lease_of(step)
    expire(step)

    jobs.recover(RunStep)
    prepare(run)

    assert run.state == RunState.RUNNING
    assert sum(len(chunk.items) for chunk in run.chunks.all()) == 10


def test_a_missing_secret_fails_the_run_before_anybody_is_asked(
    start: Start, make_target: MakeTarget
) -> None:
    target = make_target(
        kind="openai_chat", base_url="http://127.0.0.1:9/v1", api_key_env="NO_SUCH_MODEL_KEY"
    )

    run = drain(start(target=target))

    assert run.state == RunState.FAILED
    assert "NO_SUCH_MODEL_KEY" in run.reason
    assert not run.chunks.exists()
    assert not run.attempts.exists()
    assert statuses(run) == {"cancelled": 10}
    assert set(run.results.values_list("cause", flat=True)) == {"run_failed"}
    assert artifact(run, "run_manifest.json")["status"] == "failed"


def test_records_that_are_no_longer_those_of_the_version_fail_the_run(start: Start) -> None:
    run = start()
    Record.objects.filter(version=run.dataset_version, ordinal=3).update(sha256="0" * 64)

    drain(run)

    assert run.state == RunState.FAILED
    assert "restore the database" in run.reason


def test_a_problem_that_one_delivery_saw_is_not_overlooked_by_the_next(start: Start) -> None:
    """The first worker died after it had moved the run to finalizing."""
    run = start()
    Run.objects.filter(pk=run.pk).update(state=RunState.FINALIZING, started_at=Now())

    work_on(run.steps.get(name=PREPARE))

    assert not run.chunks.exists()
    assert again(run.steps.get(name=PREPARE)).state == JobState.DONE


def test_a_run_that_no_worker_can_prepare_fails_with_its_artifacts(start: Start) -> None:
    run = start()
    run.steps.filter(name=PREPARE).update(
        state=JobState.RUNNING, lease="dead", lease_until=Now() - timedelta(hours=1), deliveries=5
    )

    jobs.recover(RunStep)
    drain(run)

    assert run.state == RunState.FAILED
    assert run.reason == "Could not prepare the run: the worker died 5 times on it"
    assert statuses(run) == {"cancelled": 10}
    assert run.bundle is not None
    assert run.bundle.sealed


@pytest.mark.parametrize("records", [1, 2, 999])
def test_small_and_large_versions_are_shared_among_the_workers(
    start: Start, make_version: MakeVersion, records: int
) -> None:
    run = prepare(start(version=make_version(records)))

    largest = max(chunk.total for chunk in run.chunks.all())
    assert largest <= max(run.slots, -(-records // 4))
    assert sum(chunk.total for chunk in run.chunks.all()) == records
