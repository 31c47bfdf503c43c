"""People judge too: campaigns, their questions and items, and every label with its history."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.accounts.models import Workspace, WorkspaceScoped
from apps.datasets.models import Upload
from apps.fields import PublicIdField
from apps.runs.models import Result, Run


class CampaignQuerySet(WorkspaceScoped["Campaign"]):
    pass


class Campaign(models.Model):
    """A labelling job about the answers of one run; what a run's imports brought is one of them."""

    class Kind(models.TextChoices):
        IMPORT = "import"

    id = PublicIdField("cmp")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="campaigns")
    run = models.ForeignKey(Run, models.PROTECT, related_name="campaigns")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    name = models.CharField(max_length=200)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run"], condition=Q(kind="import"), name="one_import_campaign_a_run"
            )
        ]

    def __str__(self) -> str:
        return self.name


class Question(models.Model):
    """What is asked of an item: a task as a whole (no name), a criterion, or one of a task."""

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="questions", db_index=False)
    task_type = models.CharField(max_length=80, default="", blank=True)
    name = models.CharField(max_length=80, default="", blank=True)

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


class Item(models.Model):
    """What is labelled: an answer, or (retrieval's unit) one chunk of its context."""

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="items", db_index=False)
    result = models.ForeignKey(Result, models.PROTECT, related_name="items")
    chunk = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "result", "chunk"], name="one_item_a_unit")
        ]

    def __str__(self) -> str:
        return f"{self.campaign_id} {self.result_id} {self.chunk}".strip()


class Annotation(models.Model):
    """One person's answer to one question on one item, or why they gave none.

    `label` is true, false or a text of the question's own scale. `annotator` is what the file
    calls them.
    """

    item = models.ForeignKey(Item, models.PROTECT, related_name="annotations", db_index=False)
    question = models.ForeignKey(Question, models.PROTECT, related_name="annotations")
    annotator = models.CharField(max_length=120)
    label = models.CharField(max_length=1_000, default="", blank=True)
    discard_reason = models.CharField(max_length=120, default="", blank=True)
    notes = models.TextField(default="", blank=True)
    annotated_at = models.DateTimeField(null=True, blank=True)
    extra = models.JSONField(null=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "question", "annotator"], name="one_annotation_a_person"
            ),
            models.CheckConstraint(
                condition=~Q(label="") | ~Q(discard_reason=""),
                name="no_label_has_a_discard_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.annotator}: {self.label or self.discard_reason}"


class AnnotationChange(models.Model):
    """What an annotation said before it was changed, and what changed it."""

    annotation = models.ForeignKey(Annotation, models.PROTECT, related_name="changes")
    label = models.CharField(max_length=1_000, default="", blank=True)
    discard_reason = models.CharField(max_length=120, default="", blank=True)
    notes = models.TextField(default="", blank=True)
    annotated_at = models.DateTimeField(null=True, blank=True)
    extra = models.JSONField(null=True)
    upload = models.ForeignKey(Upload, models.PROTECT, null=True, related_name="+")
    changed_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"{self.annotation_id} was {self.label or self.discard_reason}"
