"""Asking for work that is a row: it is done already, is done here, or a worker does it."""

from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from .leases import claim, claim_of_the_dead
from .models import Job, JobState
from .services import perform, send_due

AGAIN = timedelta(minutes=1)
"""What failed is tried again when it is asked for so much later."""

_ENDED = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


def done_here(job: Job) -> bool:
    """Do the work in this process; False where somebody else is at it, or was first.

    Who asks may wait: where the one at it has died on this machine, not until its lease expires.
    """
    lease = claim(type(job), job.pk) or claim_of_the_dead(type(job), job.pk)
    if lease is None:
        return False
    perform(lease)
    return True


def by_a_worker(model: type[Job]) -> None:
    """Have what is due done soon, once the rows are there for others."""
    transaction.on_commit(lambda: send_due(model))


def ask_again(rows: QuerySet[Job]) -> int:
    """Have what has ended done anew; how many did."""
    return begin_anew(rows.filter(state__in=_ENDED))


def begin_anew(rows: QuerySet[Job]) -> int:
    """Have all of them done from now; whoever is at one of them has its lease no more."""
    return rows.update(
        state=JobState.PENDING,
        not_before=Now(),
        lease="",
        lease_until=None,
        deliveries=0,
        error="",
        finished_at=None,
    )


def try_again(rows: QuerySet[Job]) -> int:
    """What failed a while ago: the cause may be gone."""
    return ask_again(rows.filter(state=JobState.FAILED, finished_at__lt=Now() - AGAIN))
