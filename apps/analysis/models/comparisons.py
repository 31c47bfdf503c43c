"""Two runs side by side, computed once for what they looked like."""

from __future__ import annotations

from django.db import models

from apps.fields import PublicIdField
from apps.jobs.models import Job
from apps.runs.models import Run


class Comparison(Job):
    """A candidate held against a baseline; people see it where they see both runs.

    `key` is the hash of what both runs looked like and of how they are compared: other scores are
    another comparison. `body` is a `metrics.compared.PairedRuns`, None until it was computed.
    `pairs` are the arrays behind it, an entry per shared record (`comparing.arrays`).
    """

    handler = "apps.analysis.comparing.computing"

    id = PublicIdField("cmp")
    baseline = models.ForeignKey(Run, models.PROTECT, related_name="compared_as_baseline")
    candidate = models.ForeignKey(
        Run, models.PROTECT, related_name="compared_as_candidate", db_index=False
    )
    key = models.CharField(max_length=64)
    body = models.JSONField(null=True)
    pairs = models.BinaryField(null=True)
    as_of = models.DateTimeField(null=True)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["candidate", "baseline", "key"], name="one_comparison_a_key"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.candidate_id} against {self.baseline_id}"
