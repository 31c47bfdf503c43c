"""Campaigns: what is asked about the answers of one run, of whom, and by which rules."""

from __future__ import annotations

from typing import cast

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.accounts.models import User, Workspace, WorkspaceScoped
from apps.fields import PublicIdField
from apps.labeling.plans import Plan, TaskId
from apps.labeling.task_types import task
from apps.labeling.task_types.base import Task
from apps.runs.models import Run


class CampaignQuerySet(WorkspaceScoped["Campaign"]):
    def of_the_desk(self) -> CampaignQuerySet:
        """Those that people answer in Argilla."""
        return self.filter(kind=Campaign.Kind.DESK)

    def active(self) -> CampaignQuerySet:
        return self.filter(archived_at=None)

    def asking(self) -> CampaignQuerySet:
        """Those whose answers are still awaited."""
        return self.of_the_desk().filter(state=Campaign.State.OPEN)

    def labelled_by(self, user: User) -> CampaignQuerySet:
        return self.filter(assignments__user=user)


class Campaign(models.Model):
    """A labelling job about the answers of one run; what a run's imports brought is one of them.

    `plan` is a `plans.Plan`, frozen when the campaign is made. `desk_name` is its workspace in
    Argilla. An import asks nobody: it is closed from the start.
    """

    class Kind(models.TextChoices):
        IMPORT = "import"
        DESK = "desk"

    class State(models.TextChoices):
        PREPARING = "preparing"
        OPEN = "open"
        FAILED = "failed"
        CLOSED = "closed"

    class Consensus(models.TextChoices):
        MAJORITY = "majority"
        UNANIMITY = "unanimity"
        ADJUDICATED = "adjudicated"

    id = PublicIdField("cmp")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="campaigns")
    run = models.ForeignKey(Run, models.PROTECT, related_name="campaigns")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    name = models.CharField(max_length=200)
    state = models.CharField(max_length=10, choices=State.choices, default=State.CLOSED)
    guidelines = models.TextField(default="", blank=True)
    plan = models.JSONField(default=dict)
    blind = models.BooleanField(default=False)
    consensus = models.CharField(
        max_length=12, choices=Consensus.choices, default=Consensus.MAJORITY
    )
    desk_name = models.CharField(max_length=120, default="", blank=True, editable=False)
    nudged_at = models.DateTimeField(null=True, editable=False)
    """When Argilla last said that something had changed."""
    synced_at = models.DateTimeField(null=True, editable=False)
    """When all of its answers were last read from Argilla."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    opened_at = models.DateTimeField(null=True, editable=False)
    closed_at = models.DateTimeField(null=True, editable=False)
    archived_at = models.DateTimeField(null=True, blank=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run"], condition=Q(kind="import"), name="one_import_campaign_a_run"
            ),
            models.UniqueConstraint(
                fields=["workspace", "name"],
                condition=Q(kind="desk"),
                name="one_campaign_a_name",
            ),
        ]
        indexes = [models.Index(fields=["workspace", "-id"], name="campaigns_newest_first")]

    def __str__(self) -> str:
        return self.name

    @property
    def planned(self) -> Plan:
        """What was decided when it was made."""
        return Plan.model_validate(self.plan)

    @property
    def asks(self) -> bool:
        return self.state == self.State.OPEN


class Question(models.Model):
    """What is asked of an item: a task as a whole (no name), a criterion, or one of a task.

    `options` are [value, title] pairs in their order; a question of an import has none.
    """

    class Kind(models.TextChoices):
        YES_NO = "yes_no"
        CHOICE = "choice"
        SEVERAL = "several"
        RATING = "rating"
        TEXT = "text"

    class Level(models.TextChoices):
        NOMINAL = "nominal"
        ORDINAL = "ordinal"
        INTERVAL = "interval"

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="questions", db_index=False)
    task_type = models.CharField(max_length=80, default="", blank=True)
    name = models.CharField(max_length=80, default="", blank=True)
    title = models.CharField(max_length=500, default="", blank=True)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.CHOICE)
    options = models.JSONField(default=list, blank=True)
    level = models.CharField(max_length=10, choices=Level.choices, default=Level.NOMINAL)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "task_type", "name"], name="one_question_a_name"
            ),
            models.CheckConstraint(
                condition=~Q(task_type="", name=""), name="questions_have_a_name"
            ),
        ]

    def __str__(self) -> str:
        return " / ".join(part for part in (self.task_type, self.name) if part)


class Queue(models.Model):
    """One dataset in Argilla: a task of the campaign, for everybody or shared out.

    Each item waits for `min_submitted` people: in the calibration share for all who label now,
    elsewhere for as many of them as were planned (`making.staffing`).
    `seen_through` is the moment of the newest answer that was read from it.
    """

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="queues", db_index=False)
    task = models.CharField(max_length=20)
    calibration = models.BooleanField(default=False)
    min_submitted = models.PositiveSmallIntegerField(default=1)
    dataset_id = models.CharField(max_length=36, default="", blank=True, editable=False)
    seen_through = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "task", "calibration"], name="one_queue_a_task"
            )
        ]

    def __str__(self) -> str:
        return f"{self.task}, calibration share" if self.calibration else self.task

    @property
    def asked(self) -> Task:
        """Its task, with as many criteria as any checklist may have."""
        return task(self.campaign.planned, cast(TaskId, self.task))

    @property
    def part(self) -> int:
        """Which part of its task it is; at the desk this does not say that everybody answers it."""
        return 1 if self.calibration else 2


class Assignment(models.Model):
    """A member who labels in a campaign; who `settles` decides in its review queue as well."""

    campaign = models.ForeignKey(
        Campaign, models.PROTECT, related_name="assignments", db_index=False
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="assignments")
    settles = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user"], name="once_in_a_campaign")
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.campaign_id}"
