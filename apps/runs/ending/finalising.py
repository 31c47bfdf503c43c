"""The end of a run: every record accounted for, the numbers, the artifacts, the seal."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from apps.artifacts import bundles
from apps.artifacts.models import Bundle
from apps.jobs.leases import Lease, LeaseLost
from apps.jobs.models import OPEN, JobState
from apps.runs.contracts import Plan
from apps.runs.documents import manifest_of, write_documents
from apps.runs.models import Result, ResultStatus, Run, RunState, RunStep
from apps.runs.states import move
from apps.runs.walking import batches
from apps.runs.working.preparing import planned_ordinals

from .attempted import attempted
from .summaries import metrics_of, store_summaries


def finalise(step: RunStep, lease: Lease) -> None:
    """Account for every record, store summaries and artifacts, seal, end: killing it is safe.

    Everything before the last transaction may be repeated: rows are upserted, and an artifact is
    written by its content. The seal, the terminal state and the end of this step are one commit.
    Scores that are imported meanwhile take the lease away; like their import, each transaction
    here locks the run first and its steps after it.
    """
    run = Run.objects.select_related("workspace", "dataset_version__dataset").get(pk=step.run_id)
    if run.state != RunState.FINALIZING:
        return
    _account_for_the_rest(run)
    lease.require()
    now = timezone.now()
    metrics = metrics_of(run)
    with transaction.atomic():
        if not Run.objects.filter(pk=run.pk, state=RunState.FINALIZING).hold():
            raise LeaseLost
        lease.require()
        store_summaries(run, metrics, as_of=now)
        bundle = _bundle(run)
    write_documents(run, bundle, metrics, beat=lease.require)
    with transaction.atomic():
        if not move(run.pk, ending(run), since=[RunState.FINALIZING]):
            raise LeaseLost
        _stop_summarising(run)
        run.refresh_from_db()
        bundles.seal(bundle, manifest_of(run), now)
        if not lease.close():
            raise LeaseLost


def ending(run: Run) -> RunState:
    """The terminal state that the contract's section 3.3 asks for."""
    if run.cancel_requested_at and run.results.filter(status=ResultStatus.CANCELLED).exists():
        return RunState.CANCELLED
    if run.reason and not run.cancel_requested_at and not run.chunks.exists():
        return RunState.FAILED
    failures = run.results.exclude(status=ResultStatus.COMPLETED).exists()
    if failures or run.total_records != run.valid_records:
        return RunState.COMPLETED_WITH_FAILURES
    return RunState.COMPLETED


def _account_for_the_rest(run: Run) -> None:
    """Give what was never answered its result, with the reason."""
    plan = Plan.model_validate(run.plan)
    done = set(run.results.values_list("ordinal", "trial"))
    wanted = planned_ordinals(run, plan)
    keys = dict(run.dataset_version.records.values_list("ordinal", "pk"))
    missing = (
        (ordinal, trial)
        for trial in range(plan.settings.trials)
        for ordinal in wanted
        if (ordinal, trial) not in done
    )
    for batch in batches(missing):
        asked = attempted(run.pk, [ordinal for ordinal, _trial in batch])
        Result.objects.bulk_create(
            [_unanswered(run, keys[pair[0]], pair, asked.get(pair, {})) for pair in batch],
            ignore_conflicts=True,  # whoever finalised before us may have been slow to die
        )


def _unanswered(run: Run, record: int, pair: tuple[int, int], asked: dict[str, Any]) -> Result:
    cause = "cancelled" if run.cancel_requested_at else "run_failed"
    return Result(
        run=run,
        record_id=record,
        ordinal=pair[0],
        trial=pair[1],
        status=ResultStatus.CANCELLED,
        cause=cause,
        detail=run.reason,
        **asked,
    )


def _bundle(run: Run) -> Bundle:
    """The run's bundle, made once; a finaliser that starts over goes on with it."""
    if run.bundle is None:
        run.bundle = bundles.open_bundle(workspace=run.workspace, kind="run")
        Run.objects.filter(pk=run.pk).update(bundle=run.bundle)
    return run.bundle


def _stop_summarising(run: Run) -> None:
    """A recorded run gets scores still: whoever wrote them wants the numbers computed anew."""
    if run.kind == Run.Kind.RECORDED:
        return
    steps = RunStep.objects.filter(run=run, name=RunStep.Name.SUMMARISE, state__in=OPEN)
    steps.update(state=JobState.CANCELLED, lease="", lease_until=None)
