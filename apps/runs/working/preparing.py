"""Before the first question: check what the run stands on, carry answers over, cut chunks."""

import os
from collections.abc import Iterator

from django.db import transaction

from apps.datasets.queries import records_digest
from apps.jobs import services as jobs
from apps.jobs.leases import Lease, LeaseLost
from apps.runs.advancing import advance, begin_finalising, plan_step
from apps.runs.contracts import Plan
from apps.runs.ending.summaries import REFRESH_SECONDS
from apps.runs.models import Chunk, Run, RunState, RunStep
from apps.runs.states import move
from apps.targets.credentials import SecretMissingError, read_secret

from .carrying import carry_answers
from .loading import NamedTarget, named_targets


def prepare(step: RunStep, lease: Lease) -> None:
    """Validate the run, then cut its chunks and let it run; a second delivery changes nothing."""
    move(step.run_id, RunState.VALIDATING, since=[RunState.QUEUED])
    # read once it has moved: whoever cancelled it while it waited is seen
    run = Run.objects.select_related("dataset_version", "workspace").get(pk=step.run_id)
    plan = Plan.model_validate(run.plan)
    problem = _problem(run, plan)
    if problem:
        begin_finalising(run.pk, since=(RunState.VALIDATING,), reason=problem)
        return
    carried = carry_answers(run, beat=lease.require)
    chunks = list(_chunks(run, plan, carried))
    with transaction.atomic():
        if not lease.close():
            raise LeaseLost
        if not move(run.pk, RunState.RUNNING, since=[RunState.VALIDATING]):
            return  # it is being finalised already: the first delivery saw a problem
        Chunk.objects.bulk_create(chunks, batch_size=500)
        plan_step(run.pk, RunStep.Name.SUMMARISE, after_seconds=REFRESH_SECONDS)
    jobs.send_due(Chunk)
    advance(run.pk)


def planned_ordinals(run: Run, plan: Plan) -> list[int]:
    """The ordinals that the run asks: all of the version, or the first ones of a pilot."""
    ordinals = run.dataset_version.records.order_by("ordinal").values_list("ordinal", flat=True)
    return list(ordinals[: plan.settings.pilot] if plan.settings.pilot else ordinals)


def _problem(run: Run, plan: Plan) -> str:
    """Why the run cannot go on, in a sentence; empty when it can."""
    if run.cancel_requested_at:
        return run.reason or "Cancelled before it started."
    if records_digest(run.dataset_version) != plan.dataset.records_sha256:
        return "The stored records are not those of the dataset version: restore the database."
    for party in _asked(run):
        for name in party.spec.secret_names:
            try:
                read_secret(name, os.environ)
            except SecretMissingError as error:
                return str(error)
    return ""


def _asked(run: Run) -> list[NamedTarget]:
    """Whom the run asks, whose concurrency holds for its chunks first; a regrade judges alone."""
    target, judges = named_targets(run)
    by_room = sorted(judges.values(), key=lambda judge: judge.spec.concurrency)
    return by_room if run.kind == Run.Kind.REGRADE else [target, *by_room]


def _chunks(run: Run, plan: Plan, carried: set[tuple[int, int]]) -> Iterator[Chunk]:
    target = next(iter(_asked(run)), named_targets(run)[0])
    size = plan.settings.chunk_records
    asked = [
        [ordinal, trial]
        for trial in range(plan.settings.trials)
        for ordinal in planned_ordinals(run, plan)
        if (ordinal, trial) not in carried
    ]
    for number, start in enumerate(range(0, len(asked), size)):
        items = asked[start : start + size]
        yield Chunk(
            run=run, target_id=target.target_id, seq=str(number), items=items, total=len(items)
        )
