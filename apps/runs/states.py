"""The state machine of a run: every move is a conditional update with its moment kept."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from apps.accounts.models import User

from .models import TERMINAL, Run, RunState, StateChange

MOVES: dict[str, frozenset[str]] = {
    RunState.QUEUED: frozenset({RunState.VALIDATING, RunState.FINALIZING, RunState.FAILED}),
    RunState.VALIDATING: frozenset({RunState.RUNNING, RunState.FINALIZING, RunState.FAILED}),
    RunState.RUNNING: frozenset({RunState.RETRYING, RunState.FINALIZING, RunState.FAILED}),
    RunState.RETRYING: frozenset({RunState.RUNNING, RunState.FINALIZING, RunState.FAILED}),
    RunState.FINALIZING: frozenset(TERMINAL),
}


def move(
    run_id: str,
    to: RunState,
    *,
    since: Iterable[str] | None = None,
    reason: str = "",
    by: User | None = None,
) -> bool:
    """Go to a state from one that may lead there; False when somebody else moved first."""
    sources = set(since) if since is not None else _sources(to)
    rows = Run.objects.filter(pk=run_id, state__in=sources)
    if not rows.exists():  # most often: do not take the database's lock for it
        return False
    with transaction.atomic():
        if not rows.hold():
            return False
        now = timezone.now()  # under the lock, so that moments follow each other as states do
        rows.update(**_columns(to, now, reason))
        note_state(run_id, to, at=now, reason=reason, by=by)
        return True


def note_state(
    run_id: str, state: RunState, *, at: datetime, reason: str = "", by: User | None = None
) -> None:
    """Append to the run's history; the caller holds the run's row."""
    last = StateChange.objects.filter(run_id=run_id).aggregate(last=Max("seq"))["last"]
    StateChange.objects.create(
        run_id=run_id, seq=0 if last is None else last + 1, state=state, at=at, reason=reason, by=by
    )


def _columns(to: RunState, now: datetime, reason: str) -> dict[str, object]:
    columns: dict[str, object] = {"state": to}
    if to is RunState.VALIDATING:
        columns["started_at"] = now
    if to in TERMINAL:
        columns["completed_at"] = now
    if reason:
        columns["reason"] = reason
    return columns


def _sources(to: RunState) -> set[str]:
    return {source for source, targets in MOVES.items() if to in targets}
