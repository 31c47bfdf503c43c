"""What people do to a run after its start: cancel, archive, restore, name."""

from datetime import datetime
from typing import Unpack

from django.core.exceptions import ValidationError
from django.db import transaction

from apps.accounts.models import User
from apps.accounts.services import record as audit
from apps.accounts.services.archiving import set_archived
from apps.accounts.services.audit import Door
from apps.jobs.models import JobState

from .advancing import advance, begin_finalising
from .models import Chunk, Run, RunState

CANCELLABLE = (RunState.QUEUED, RunState.VALIDATING, RunState.RUNNING, RunState.RETRYING)


def cancel(run: Run, *, by: User | None, now: datetime, **door: Unpack[Door]) -> None:
    """Ask nobody any more; what was answered is kept. Cancelling twice changes nothing."""
    rows = Run.objects.filter(pk=run.pk, state__in=CANCELLABLE, cancel_requested_at=None)
    who = f" by {by.label}" if by else ""
    with transaction.atomic():
        if not rows.update(cancel_requested_at=now, reason=f"Cancelled{who}."):
            _explain(run)
            return
        audit(workspace=run.workspace, actor=by, verb="run.cancelled", obj=run, **door)
        waiting = Chunk.objects.filter(run=run, state__in=[JobState.PENDING, JobState.SENT])
        waiting.update(state=JobState.CANCELLED, finished_at=now)
        begin_finalising(run.pk, since=(RunState.QUEUED,))
    advance(run.pk)


def archive(run: Run, *, by: User | None, now: datetime) -> None:
    if run.is_open:
        raise ValidationError("Cancel the run first: only runs that have ended can be archived.")
    set_archived(run, now, workspace=run.workspace, by=by, verb="run.archived")


def restore(run: Run, *, by: User | None) -> None:
    set_archived(run, None, workspace=run.workspace, by=by, verb="run.restored")


def _explain(run: Run) -> None:
    run.refresh_from_db(fields=["state", "cancel_requested_at"])
    if run.cancel_requested_at is None and run.state not in CANCELLABLE:
        raise ValidationError(f"The run is {run.state}: there is nothing left to cancel.")
