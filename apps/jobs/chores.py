"""What has to be done every day, once however many machines there are: a chore is a job again."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models.functions import Now
from django.utils import timezone

from .leases import Lease
from .models import Chore, JobState


class _Task(NamedTuple):
    function: Callable[[datetime], object]
    every: timedelta


_TASKS: dict[str, _Task] = {}


def register(name: str, function: Callable[[datetime], object], *, every: timedelta) -> None:
    """A chapter names its chore in `ready()`; the function gets the moment and may run twice."""
    _TASKS[name] = _Task(function, every)


def perform(chore: Chore, lease: Lease) -> None:
    task = _TASKS[chore.name]
    task.function(timezone.now())
    lease.close(JobState.PENDING, not_before=Now() + task.every, error="")


def give_up(chore: Chore, error: str) -> None:
    """Tomorrow is another day: the error stays on the row until then."""
    Chore.objects.filter(pk=chore.pk).update(
        state=JobState.PENDING, deliveries=0, not_before=Now() + _TASKS[chore.name].every
    )


def after_sweep() -> None:
    known = set(Chore.objects.values_list("name", flat=True))
    Chore.objects.bulk_create(
        [Chore(name=name) for name in _TASKS if name not in known], ignore_conflicts=True
    )
