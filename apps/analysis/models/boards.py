"""Several runs of one dataset version side by side."""

from __future__ import annotations

from django.db import models

from apps.datasets.models import DatasetVersion
from apps.fields import PublicIdField
from apps.jobs.models import Job


class Board(Job):
    """Ranks with their tied sets, and records that flicker, over runs of one dataset version.

    `key` is the hash of the runs, what they looked like, and the metric. `runs` are their ids, the
    newest first: whoever is shown the board sees each of them. `body` is a
    `metrics.ranked.Board`, None until it was computed.
    """

    handler = "apps.analysis.trends.boards"

    id = PublicIdField("brd")
    version = models.ForeignKey(DatasetVersion, models.PROTECT, related_name="boards")
    metric = models.CharField(max_length=120)
    key = models.CharField(max_length=64)
    runs = models.JSONField()
    body = models.JSONField(null=True)
    as_of = models.DateTimeField(null=True)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["version", "key"], name="one_board_a_key"),
        ]

    def __str__(self) -> str:
        return f"{self.version_id} by {self.metric}"
