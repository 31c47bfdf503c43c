"""The jobs of a run: chunks of records, and what happens once."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from apps.jobs.models import Job
from apps.targets.models import Target

from .runs import Run


class Chunk(Job):
    """Some records of a run to ask; `held` keeps what those that were asked already have.

    `items` are [ordinal, trial] pairs; `held` maps "ordinal.trial" to a `contracts.Held`.
    """

    handler = "apps.runs.working.chunks"
    lease_seconds = settings.LEASE_SECONDS

    run = models.ForeignKey(Run, models.PROTECT, related_name="chunks")
    target = models.ForeignKey(Target, models.PROTECT, related_name="+")
    seq = models.CharField(max_length=64)
    items = models.JSONField()
    held = models.JSONField(default=dict)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["run", "seq"], name="one_chunk_a_seq"),
        ]
        indexes = [
            *Job.Meta.indexes,
            models.Index(
                fields=["run"],
                condition=Q(state__in=["pending", "sent", "running"]),
                name="open_chunks_by_run",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.seq}"


class RunStep(Job):
    """What happens once in a run beside its chunks."""

    class Name(models.TextChoices):
        PREPARE = "prepare"
        SUMMARISE = "summarise"
        FINALISE = "finalise"

    handler = "apps.runs.working.steps"

    run = models.ForeignKey(Run, models.PROTECT, related_name="steps")
    name = models.CharField(max_length=10, choices=Name.choices)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["run", "name"], name="one_step_a_name"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.name}"
