"""Background work as rows: the row is the truth, a message only says "look at this row"."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Self, cast

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

if TYPE_CHECKING:
    from .leases import Lease

MAX_DELIVERIES = 5


class JobState(models.TextChoices):
    PENDING = "pending"
    SENT = "sent"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


OPEN = (JobState.PENDING, JobState.SENT, JobState.RUNNING)


class Job(models.Model):
    """One piece of work that some worker claims under a lease; doing it twice changes nothing."""

    handler: ClassVar[str]
    """The module whose `perform(job, lease)` does the work; `give_up(job, error)`,
    `successor(job)`, `sendable(window)`, `admits(job)`, `after_sweep()` and `warm_up()` are
    optional there."""

    queue: ClassVar[str] = "evalhub"
    lease_seconds: ClassVar[int] = 2 * settings.LEASE_SECONDS

    state = models.CharField(
        max_length=10, choices=JobState.choices, default=JobState.PENDING, editable=False
    )
    not_before = models.DateTimeField(db_default=Now(), editable=False)
    sent_at = models.DateTimeField(null=True, editable=False)
    lease = models.CharField(max_length=32, default="", blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    deliveries = models.PositiveSmallIntegerField(default=0, editable=False)
    done = models.PositiveIntegerField(default=0, editable=False)
    total = models.PositiveIntegerField(default=0, editable=False)
    error = models.TextField(default="", blank=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    finished_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(state="running", lease__gt="") | (~Q(state="running") & Q(lease="")),
                name="%(app_label)s_%(class)s_runs_under_a_lease",
            )
        ]
        indexes = [
            models.Index(
                fields=["state", "not_before"],
                condition=Q(state__in=["pending", "sent", "running"]),
                name="%(app_label)s_%(class)s_open",
            )
        ]

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    def perform(self, lease: Lease) -> None:
        """Do the work, renewing the lease at least every few seconds."""
        self._handler("perform", self, lease)

    def give_up(self, error: str) -> None:
        """What follows when the work failed for good; the row already says `failed`."""
        self._handler("give_up", self, error)

    def successor(self) -> int | str | None:
        """The key of another job of this kind, already marked sent, to go on with at once."""
        return cast("int | str | None", self._handler("successor", self))

    def admitted(self) -> bool:
        """Whether it may start now; asked inside the transaction that marks it sent."""
        return self._handler("admits", self) is not False

    @classmethod
    def warm_up(cls) -> None:
        """Import what the work needs, once, before workers are forked."""
        cls._handler("warm_up")

    @classmethod
    def after_sweep(cls) -> None:
        """What a chapter checks each time the sweep has passed over its jobs."""
        cls._handler("after_sweep")

    @classmethod
    def _handler(cls, name: str, *args: object) -> object:
        function = getattr(import_module(cls.handler), name, None)
        return function(*args) if function else None

    @classmethod
    def sendable(cls, window: int) -> Iterable[Job]:
        """What may be sent now, so that at most `window` messages are under way."""
        chosen = cls._handler("sendable", window)
        if chosen is not None:
            return cast("Iterable[Job]", chosen)
        under_way = cls._default_manager.filter(state=JobState.SENT).count()
        return cls.due()[: max(0, window - under_way)]

    @classmethod
    def due(cls) -> models.QuerySet[Self]:
        """What waits and may start now, the most urgent first."""
        return cls._default_manager.filter(state=JobState.PENDING, not_before__lte=Now()).order_by(
            "not_before", "pk"
        )

    @classmethod
    def overdue(cls) -> models.QuerySet[Self]:
        """Expired leases and messages that never arrived."""
        lost = Q(state=JobState.SENT, sent_at__lt=Now() - timedelta(seconds=cls.lease_seconds * 2))
        expired = Q(state=JobState.RUNNING, lease_until__lt=Now())
        return cls._default_manager.filter(lost | expired)


def claimable(token: str, seconds: int) -> dict[str, object]:
    """The columns that a claim writes."""
    return {
        "state": JobState.RUNNING,
        "lease": token,
        "lease_until": Now() + timedelta(seconds=seconds),
        "deliveries": F("deliveries") + 1,
    }


class Chore(Job):
    """Something that is done again and again: see `chores.register`."""

    handler = "apps.jobs.chores"
    queue = "long"

    name = models.CharField(max_length=60, unique=True)

    def __str__(self) -> str:
        return self.name


class Heartbeat(models.Model):
    """A process of ours that was alive at `seen_at`."""

    host = models.CharField(max_length=200)
    pid = models.PositiveIntegerField()
    kind = models.CharField(max_length=20)
    version = models.CharField(max_length=40)
    slots = models.PositiveSmallIntegerField(default=0)
    seen_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["host", "pid"], name="one_beat_a_process")]

    def __str__(self) -> str:
        return f"{self.kind} {self.host}:{self.pid}"
