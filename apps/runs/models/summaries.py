"""The stored numbers of a run."""

from __future__ import annotations

from django.db import models

from .runs import Run


class Summary(models.Model):
    """One metric of one slice of a run; family and value are '' for the whole run."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="summaries")
    family = models.CharField(max_length=80, default="", blank=True)
    value = models.CharField(max_length=200, default="", blank=True)
    metric = models.CharField(max_length=120)
    n = models.PositiveIntegerField()
    point = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    method = models.CharField(max_length=40, default="", blank=True)
    reason = models.CharField(max_length=200, default="", blank=True)
    shape = models.JSONField(null=True)
    as_of = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "family", "value", "metric"], name="one_summary_a_metric"
            )
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.family}={self.value} {self.metric}"
