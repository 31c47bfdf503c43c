"""Sending, sweeping and doing work: every step is a conditional update, so all may run twice."""

import logging
import os
import socket
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import TypeVar

from django.apps import apps
from django.conf import settings
from django.db import models, transaction
from django.db.models.functions import Now
from django_q.tasks import async_task

from apps import VERSION

from . import stopping
from .leases import Lease, LeaseLost, claim_in_turn
from .models import MAX_DELIVERIES, Heartbeat, Job, JobState

logger = logging.getLogger(__name__)

ALIVE_SECONDS = 15
FOLLOW_UP_SECONDS = 100

Thing = TypeVar("Thing")


def job_models() -> list[type[Job]]:
    """Every kind of job of every chapter, in chapter order."""
    return [model for model in apps.get_models() if issubclass(model, Job)]


def warm_up(queue: str) -> None:
    """Import and build what the queue's work needs; workers forked after it then have it."""
    for model in job_models():
        if model.queue == queue:
            model.warm_up()


def sweep() -> None:
    """Recover what was lost, send what is due, let each chapter look after its own."""
    each(job_models(), _sweep_one)


def recover(model: type[Job]) -> None:
    """Expired leases and lost messages go back to pending; after too many deliveries they fail."""
    each(list(model.overdue()[:100]), recover_one)


def send_due(model: type[Job]) -> int:
    """Send a bounded number of messages; called by the sweep and after a commit."""
    return sum(send(job) for job in model.sendable(2 * settings.Q_CLUSTER["workers"]))


def send(job: Job) -> bool:
    """Mark the row sent and enqueue its message, both or neither."""
    with transaction.atomic():
        if not mark_sent(job):
            return False
        async_task(
            "apps.jobs.tasks.look_at",
            job._meta.label,
            job.pk,
            q_options={"save": False, "ack_failure": True, "cluster": job.queue},
        )
        return True


def mark_sent(job: Job) -> bool:
    """Give a waiting row its turn where its chapter admits it; False when it is not its turn."""
    with transaction.atomic():
        rows = type(job)._default_manager.filter(pk=job.pk, state=JobState.PENDING)
        return job.admitted() and bool(rows.update(state=JobState.SENT, sent_at=Now()))


def look_at(model: type[Job], pk: int | str) -> None:
    """Work on one row, then on its successors, for as long as a task may reasonably take."""
    started = time.monotonic()
    following: int | str | None = pk
    while following is not None:
        lease = claim_in_turn(model, following)
        if lease is None:
            return
        perform(lease)
        spent = time.monotonic() - started
        more = spent < FOLLOW_UP_SECONDS and not stopping.asked()
        following = lease.job.successor() if more else None


def perform(lease: Lease) -> None:
    """Do the job under its lease; a surprise leaves it to be tried again, then failed."""
    job = lease.job
    try:
        job.perform(lease)
    except LeaseLost:
        logger.info("%s %s: the lease was lost", job._meta.label, job.pk)
    except Exception as error:
        logger.exception("%s %s failed", job._meta.label, job.pk)
        _after_surprise(lease, f"{type(error).__name__}: {error}"[:2000])
    else:
        lease.close()


def work_here(idle: Callable[[], bool]) -> None:
    """Do all due work in this process until `idle()` says to stop: no worker is needed."""
    while not idle():
        for model in job_models():
            recover(model)
            lease = _next(model)
            if lease:
                perform(lease)
            model.after_sweep()
        time.sleep(0.05)


def beat(kind: str, slots: int = 0) -> None:
    """Say that this process is alive."""
    Heartbeat.objects.update_or_create(
        host=socket.gethostname(),
        pid=os.getpid(),
        defaults={"kind": kind, "version": VERSION, "slots": slots, "seen_at": Now()},
    )


def alive(kind: str, now: datetime) -> int:
    """How many processes of a kind were seen in the last seconds."""
    since = now - timedelta(seconds=ALIVE_SECONDS)
    return Heartbeat.objects.filter(kind=kind, seen_at__gte=since).count()


def forget_the_dead(now: datetime) -> None:
    """Drop the heartbeats of processes that were not seen for a day."""
    Heartbeat.objects.filter(seen_at__lt=now - timedelta(days=1)).delete()


def _next(model: type[Job]) -> Lease | None:
    """The next job, also one that was sent: a message that comes later finds it taken."""
    sent = model._default_manager.filter(state=JobState.SENT).order_by("not_before", "pk")
    pk = sent.values_list("pk", flat=True).first()
    if pk is None:
        pk = next((job.pk for job in model.sendable(1) if mark_sent(job)), None)
    return None if pk is None else claim_in_turn(model, pk)


def _sweep_one(model: type[Job]) -> None:
    recover(model)
    send_due(model)
    model.after_sweep()


def recover_one(job: Job) -> None:
    """Unless its worker renewed the lease since: then it is no longer overdue."""
    rows = type(job).overdue().filter(pk=job.pk, lease=job.lease)
    if job.deliveries >= MAX_DELIVERIES:
        _fail(rows, job, f"the worker died {job.deliveries} times on it")
    else:
        rows.update(state=JobState.PENDING, lease="", lease_until=None)


def each(things: Iterable[Thing], action: Callable[[Thing], None]) -> None:
    """Do it to all of them; what breaks for one is raised when the others have had their turn."""
    errors = []
    for thing in things:
        try:
            action(thing)
        except Exception as error:
            errors.append(error)
    if errors:
        raise errors[0]


def _after_surprise(lease: Lease, error: str) -> None:
    if lease.job.deliveries >= MAX_DELIVERIES:
        _fail(_same_row(lease.job), lease.job, error)
    else:
        later = Now() + timedelta(seconds=2**lease.job.deliveries)
        _same_row(lease.job).update(
            state=JobState.PENDING, lease="", lease_until=None, not_before=later, error=error
        )


def _fail(rows: models.QuerySet[Job], job: Job, error: str) -> None:
    with transaction.atomic():
        columns = {"lease": "", "lease_until": None, "error": error, "finished_at": Now()}
        if rows.update(state=JobState.FAILED, **columns):
            job.give_up(error)


def _same_row(job: Job) -> models.QuerySet[Job]:
    """The row as it was read: whoever changed it since, wins."""
    return type(job)._default_manager.filter(pk=job.pk, state=job.state, lease=job.lease)
