"""Moving a run on when its chunks are: safe to call at any time, from anywhere."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from apps.jobs import services as jobs
from apps.jobs.models import OPEN, JobState

from .models import ASKING, Chunk, Run, RunState, RunStep
from .states import move


def advance(run_id: str) -> None:
    """Finalise a run without open chunks; otherwise say whether it runs or only waits to retry."""
    open_chunks = Chunk.objects.filter(run_id=run_id, state__in=OPEN)
    if not open_chunks.exists():
        begin_finalising(run_id, since=ASKING)
        return
    under_way = Q(state__in=[JobState.SENT, JobState.RUNNING])
    waiting = Q(state=JobState.PENDING, not_before__lte=Now())
    if open_chunks.filter(under_way | waiting).exists():
        move(run_id, RunState.RUNNING, since=[RunState.RETRYING])
    else:
        move(run_id, RunState.RETRYING, since=[RunState.RUNNING])


def begin_finalising(run_id: str, *, since: tuple[str, ...], reason: str = "") -> None:
    """Move to `finalizing` and plan the step, both or neither."""
    with transaction.atomic():
        if not move(run_id, RunState.FINALIZING, since=since, reason=reason):
            return
        plan_step(run_id, RunStep.Name.FINALISE)


def plan_step(run_id: str, name: str, *, after_seconds: float = 0) -> None:
    """Create a step of the run; what need not wait is sent as soon as this is committed."""
    due = {"not_before": Now() + timedelta(seconds=after_seconds)}
    step, _created = RunStep.objects.get_or_create(run_id=run_id, name=name, defaults=due)
    if not after_seconds:
        transaction.on_commit(lambda: _send(step))


def advance_open_runs() -> None:
    for run_id in Run.objects.filter(state__in=ASKING).values_list("pk", flat=True):
        advance(run_id)


def _send(step: RunStep) -> None:
    jobs.send(step)
