"""A lease: the right to work on one row, until somebody else may have it."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from .models import MAX_DELIVERIES, Job, JobState, claimable
from .owners import has_died, new_token

RENEW_EVERY = 1.0


class LeaseLost(Exception):
    """The row was cancelled or went to another worker: stop without writing anything more."""


class Lease:
    """Held while `renew` says so; every write of the job happens under it."""

    def __init__(self, job: Job, token: str) -> None:
        self.job = job
        self.token = token
        self._renewed = time.monotonic()

    def renew(self, **columns: Any) -> bool:
        """Extend the lease and store the columns; False when it is lost."""
        self._renewed = time.monotonic()
        until = Now() + timedelta(seconds=self.job.lease_seconds)
        return bool(self._row().update(lease_until=until, **columns))

    def progress(self, done: int, total: int, **columns: Any) -> None:
        """Renew at most once a second; raises LeaseLost."""
        if time.monotonic() - self._renewed < RENEW_EVERY:
            return
        if not self.renew(done=done, total=total, **columns):
            raise LeaseLost

    def close(self, state: JobState = JobState.DONE, **columns: Any) -> bool:
        """End the job; inside a transaction it fences everything written there."""
        columns |= {"lease": "", "lease_until": None, "finished_at": Now()}
        if state == JobState.PENDING:
            columns |= {"deliveries": 0, "finished_at": None}  # it begins anew
        return bool(self._row().update(state=state, **columns))

    def require(self) -> None:
        """Raise LeaseLost unless the row is still ours; inside a transaction it locks the row."""
        if not self.renew():
            raise LeaseLost

    def _row(self) -> Any:
        return type(self.job)._default_manager.filter(
            pk=self.job.pk, lease=self.token, state=JobState.RUNNING
        )


def claim(model: type[Job], pk: int | str) -> Lease | None:
    """Take the row if it is free; None for a second delivery, a cancelled or a held one."""
    return _claim(model, pk, Q(state=JobState.PENDING) | _given_out())


def claim_in_turn(model: type[Job], pk: int | str) -> Lease | None:
    """Take the row that a message is about: one that was sent.

    A message that comes late may find its row waiting again: that one is taken only where it is
    due and its chapter admits it. What is left here the sweep sends anew.
    """
    return _claim(model, pk, _given_out()) or _claim_waiting(model, pk)


def claim_of_the_dead(model: type[Job], pk: int | str) -> Lease | None:
    """Take the row from a process of this machine that died at it, without waiting for its lease
    to expire; None where nobody did, or where it was tried often enough."""
    held = Q(state=JobState.RUNNING, deliveries__lt=MAX_DELIVERIES)
    rows = model._default_manager.filter(held, pk=pk)
    token = rows.values_list("lease", flat=True).first()
    return _claim(model, pk, held & Q(lease=token)) if token and has_died(token) else None


def _given_out() -> Q:
    """What was sent, or is held by somebody whose lease is over."""
    return Q(state=JobState.SENT) | Q(state=JobState.RUNNING, lease_until__lt=Now())


def _claim_waiting(model: type[Job], pk: int | str) -> Lease | None:
    job = model.due().filter(pk=pk).first()
    if job is None:
        return None
    due = Q(state=JobState.PENDING, not_before__lte=Now())
    with transaction.atomic():  # who admits it keeps its room until it is taken
        return _claim(model, pk, due) if job.admitted() else None


def _claim(model: type[Job], pk: int | str, condition: Q) -> Lease | None:
    token = new_token()
    rows = model._default_manager.filter(condition, pk=pk)
    if not rows.update(**claimable(token, model.lease_seconds)):
        return None
    return Lease(model._default_manager.get(pk=pk), token)
