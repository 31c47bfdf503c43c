"""The long actions of labelling, each a row that a worker claims."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from apps.accounts.models import WorkspaceScoped
from apps.artifacts.models import Bundle
from apps.fields import PublicIdField
from apps.jobs.models import Job

from .campaigns import Campaign


class CampaignStep(Job):
    """What happens to a campaign: prepared and pushed once, synced and analysed again and again.

    Who wants it done says so in `asked_at`: a step that was asked for while it ran, runs again.
    """

    class Name(models.TextChoices):
        PREPARE = "prepare"
        PUSH = "push"
        SYNC = "sync"
        ANALYSE = "analyse"

    handler = "apps.labeling.steps"

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="steps", db_index=False)
    name = models.CharField(max_length=10, choices=Name.choices)
    asked_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["campaign", "name"], name="one_campaign_step_a_name"),
        ]

    def __str__(self) -> str:
        return f"{self.campaign_id} {self.name}"


class ExportQuerySet(WorkspaceScoped["Export"]):
    workspace_path = "campaign__workspace"


class Export(Job):
    """Labels of a campaign as write-once files, made by a worker."""

    class Form(models.TextChoices):
        LABELS = "labels"
        TASKS = "tasks"
        LINES = "lines"
        TRAINING = "training"

    handler = "apps.labeling.exporting"
    queue = "long"

    id = PublicIdField("exp")
    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="exports")
    form = models.CharField(max_length=10, choices=Form.choices)
    include_discarded = models.BooleanField(default=False)
    bundle = models.OneToOneField(Bundle, models.PROTECT, null=True, related_name="export")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )

    objects = ExportQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.campaign_id} {self.form}"
