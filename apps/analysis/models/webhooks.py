"""Who is told of a gate's decisions, and each time that somebody was or could not be."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from apps.accounts.models import Workspace, WorkspaceScoped
from apps.fields import PublicIdField
from apps.jobs.models import Job

from .gates import GateDecision


class GateWebhookQuerySet(WorkspaceScoped["GateWebhook"]):
    pass


class GateWebhook(models.Model):
    """An address that is told; `secret_name` names the environment's variable that signs."""

    id = PublicIdField("gwh")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="gate_webhooks")
    url = models.URLField(max_length=500)
    secret_name = models.CharField(max_length=120)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    archived_at = models.DateTimeField(null=True, blank=True)

    objects = GateWebhookQuerySet.as_manager()

    def __str__(self) -> str:
        return self.url


class GateDelivery(Job):
    """One message to one address: a decision, or (`override` > 0) what overrode it.

    `tries` is a list of `gates.messages.sending.Try`, the newest last. `secret_name` and `url` are
    the webhook's when it is sent.
    """

    handler = "apps.analysis.gates.messages.delivering"

    id = PublicIdField("gdl")
    webhook = models.ForeignKey(GateWebhook, models.PROTECT, related_name="deliveries")
    decision = models.ForeignKey(GateDecision, models.PROTECT, related_name="deliveries")
    override = models.PositiveIntegerField(default=0)
    tries = models.JSONField(default=list)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["webhook", "decision", "override"], name="one_gate_delivery_a_message"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.decision_id} to {self.webhook_id}"
