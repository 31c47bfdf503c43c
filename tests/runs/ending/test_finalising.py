"""The end of a run: killed at any point and begun again, there is one end and it is the same."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.artifacts import bundles
from apps.artifacts.models import Artifact, Bundle
from apps.jobs import services as jobs
from apps.jobs.leases import Lease, LeaseLost
from apps.jobs.models import JobState
from apps.runs.ending.finalising import finalise
from apps.runs.models import TERMINAL, Run, RunState, RunStep
from apps.targets.models import Target
from tests.runs.conftest import (
    MakeContract,
    MakeTarget,
    MakeVersion,
    Start,
    artifact,
    drain,
    expire,
    lease_of,
    points,
    prepare,
    statuses,
    sums,
    work_on,
)

FINALISE = RunStep.Name.FINALISE
OF_THE_RUN = {"run_id", "created_at", "started_at", "completed_at", "states", "name"}


class Killed(BaseException):
    """What no code of ours catches, as it is with kill -9."""


class DyingLease(Lease):
    """Of a worker that is killed at its n-th renewal: it has written what came before."""

    def __init__(self, lease: Lease, beats: int) -> None:
        super().__init__(lease.job, lease.token)
        self._beats = beats

    def renew(self, **columns: object) -> bool:
        if self._beats == 0:
            raise Killed
        self._beats -= 1
        return super().renew(**columns)


@pytest.fixture
def answered(start: Start, make_version: MakeVersion, make_contract: MakeContract) -> Run:
    """A run that waits to be finalised, one record of it rejected."""
    records = sums(8)
    records[5]["tags"] = 7
    version = make_version(records=records)
    run = prepare(start(version=version, contract=make_contract()))
    for chunk in list(run.chunks.all()):
        work_on(chunk)
    run.refresh_from_db()
    assert run.state == RunState.FINALIZING
    return run


def _step(run: Run) -> RunStep:
    return run.steps.get(name=FINALISE)


def _comparable(run: Run) -> dict[str, Any]:
    """Every artifact without what tells one run from another."""
    assert run.bundle is not None
    names = run.bundle.artifacts.exclude(name="run_manifest.json").values_list("name", flat=True)
    manifest = artifact(run, "run_manifest.json")
    kept = {name: value for name, value in manifest.items() if name not in OF_THE_RUN}
    return {**{name: artifact(run, name) for name in names}, "run_manifest.json": kept}


# -- killed ---------------------------------------------------------------------------------


@pytest.mark.parametrize("beats", range(10))
def test_killed_at_any_point_and_run_again_it_ends_the_same(answered: Run, beats: int) -> None:
    step = _step(answered)
    lease = DyingLease(lease_of(step), beats)

    try:
        finalise(step, lease)
    except Killed:
        expire(step)
    drain(answered)

    assert answered.state == RunState.COMPLETED_WITH_FAILURES
    assert answered.state_changes.filter(state__in=TERMINAL).count() == 1
    assert Bundle.objects.count() == 1
    assert Artifact.objects.count() == 8
    assert answered.bundle is not None
    assert bundles.verify(answered.bundle).ok
    assert statuses(answered) == {"completed": 7}
    assert _step(answered).state == JobState.DONE


def test_killed_before_its_last_commit_nothing_is_sealed(answered: Run) -> None:
    step = _step(answered)

    class DiesAtTheEnd(Lease):
        def close(self, state: JobState = JobState.DONE, **columns: Any) -> bool:
            raise Killed

    lease = lease_of(step)
    with pytest.raises(Killed), transaction.atomic():
        finalise(step, DiesAtTheEnd(lease.job, lease.token))

    answered.refresh_from_db()
    assert answered.state == RunState.FINALIZING
    assert not Bundle.objects.filter(sealed_at__isnull=False).exists()
    expire(step)
    drain(answered)
    assert answered.state == RunState.COMPLETED_WITH_FAILURES


def test_the_same_run_gives_the_same_artifacts_again(answered: Run) -> None:
    step = _step(answered)
    first = DyingLease(lease_of(step), 3)
    try:
        finalise(step, first)
    except Killed:
        expire(step)
    before = dict(Artifact.objects.values_list("name", "sha256"))

    drain(answered)

    after = dict(Artifact.objects.values_list("name", "sha256"))
    assert before.items() <= after.items()


def test_a_slow_finaliser_that_was_fenced_out_ends_nothing(answered: Run) -> None:
    step = _step(answered)
    slow = lease_of(step)
    expire(step)
    drain(answered)
    sealed = answered.bundle.manifest_sha256 if answered.bundle else None

    finalise(step, slow)

    answered.refresh_from_db()
    assert answered.bundle is not None
    assert answered.bundle.manifest_sha256 == sealed
    assert answered.state_changes.filter(state__in=TERMINAL).count() == 1


def test_a_finaliser_without_its_lease_stops_before_it_stores_numbers(answered: Run) -> None:
    step = _step(answered)
    slow = lease_of(step)
    expire(step)
    lease_of(step)

    with pytest.raises(LeaseLost):
        finalise(step, slow)

    assert not answered.summaries.exists()


def test_a_second_delivery_changes_nothing(answered: Run) -> None:
    drain(answered)
    before = list(Artifact.objects.order_by("name").values_list("name", "sha256"))

    jobs.look_at(RunStep, _step(answered).pk)

    assert list(Artifact.objects.order_by("name").values_list("name", "sha256")) == before
    assert answered.state_changes.filter(state__in=TERMINAL).count() == 1


def test_a_run_that_no_worker_can_finalise_has_failed_with_the_reason(answered: Run) -> None:
    expired = timezone.now() - timedelta(hours=1)
    RunStep.objects.filter(pk=_step(answered).pk).update(
        state=JobState.RUNNING, lease="dead", lease_until=expired, deliveries=5
    )

    jobs.sweep()

    answered.refresh_from_db()
    assert answered.state == RunState.FAILED
    assert answered.reason == "Could not finalise the run: the worker died 5 times on it"


# -- endings --------------------------------------------------------------------------------


def test_all_answered_is_completed(start: Start) -> None:
    assert drain(start()).state == RunState.COMPLETED


def test_an_answer_that_fails_the_contract_is_still_completed(
    start: Start, make_target: MakeTarget, make_contract: MakeContract
) -> None:
    run = drain(start(target=make_target(wrong_rate=1), contract=make_contract()))

    assert run.state == RunState.COMPLETED
    assert set(run.results.values_list("verdict", flat=True)) == {"failed"}


def test_an_invalid_record_alone_makes_it_completed_with_failures(answered: Run) -> None:
    drain(answered)

    assert answered.state == RunState.COMPLETED_WITH_FAILURES
    assert statuses(answered) == {"completed": 7}


@pytest.mark.parametrize("code", ["timeout", "refused", "no_answer"])
def test_one_record_that_failed_makes_it_completed_with_failures(
    start: Start, make_target: MakeTarget, code: str
) -> None:
    errors = [{"code": code, "share": 0.4}]

    run = drain(start(target=make_target(planned_errors=errors, max_attempts=1)))

    assert run.state == RunState.COMPLETED_WITH_FAILURES
    assert 0 < statuses(run)["completed"] < 10


def test_every_record_failing_is_completed_with_failures_too(
    start: Start, make_target: MakeTarget
) -> None:
    errors = [{"code": "unauthorized", "share": 1.0}]

    run = drain(start(target=make_target(planned_errors=errors)))

    assert run.state == RunState.COMPLETED_WITH_FAILURES


CODES = st.sampled_from(["timeout", "rate_limited", "refused", "invalid_response", "no_answer"])
PLANS = st.lists(
    st.fixed_dictionaries(
        {"code": CODES, "share": st.sampled_from([0.1, 0.25]), "attempts": st.integers(0, 3)}
    ),
    max_size=3,
)


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(plan=PLANS, wrong=st.sampled_from([0, 0.5, 1]))
def test_whatever_fails_every_record_ends_and_the_denominators_add_up(
    start: Start,
    make_version: MakeVersion,
    make_target: MakeTarget,
    make_contract: MakeContract,
    plan: list[dict[str, Any]],
    wrong: float,
) -> None:
    number = Target.objects.count()
    target = make_target(f"t{number}", planned_errors=plan, wrong_rate=wrong, concurrency=16)
    version = make_version(24, name=f"d{number}")

    run = drain(start(version=version, target=target, contract=make_contract(name=f"c{number}")))

    found = points(run)
    assert sorted(run.results.values_list("ordinal", flat=True)) == [*range(24)]
    assert found["valid"] == found["evaluated"] + found["failed"] + found["skipped"] == 24
    assert found["evaluated"] == found["passed"] + found["failed_contract"] + found["unjudged"]
    assert found["failed"] == run.results.exclude(status="completed").count()
    attempts = sum(run.results.values_list("attempts", flat=True))
    assert attempts == run.attempts.count()
    failed = run.results.exclude(status="completed").exists()
    assert run.state == ("completed_with_failures" if failed else "completed")
    assert run.completed_at is not None
