"""The stored numbers of a campaign: computed by a job, read by pages, never by a request."""

from __future__ import annotations

from django.db import models

from .campaigns import Campaign


class Report(models.Model):
    """One contract, as JSON that is read whole: what `kind` says, as of a moment."""

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="reports", db_index=False)
    kind = models.CharField(max_length=20)
    body = models.JSONField()
    as_of = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "kind"], name="one_report_a_kind")
        ]

    def __str__(self) -> str:
        return f"{self.campaign_id} {self.kind}"
