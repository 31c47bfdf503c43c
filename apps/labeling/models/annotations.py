"""Every label with its history, and what contradicts itself."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from apps.accounts.models import User
from apps.datasets.models import Upload

from .campaigns import Question
from .items import Item


def contradicts_itself() -> Exists:
    """Of an annotation: whether the answer that it is part of breaks what blocks."""
    return Exists(
        Breach.objects.filter(
            item=OuterRef("item"),
            annotator=OuterRef("annotator"),
            task_type=OuterRef("question__task_type"),
            severity=Breach.Severity.BLOCK,
        )
    )


class AnnotationQuerySet(models.QuerySet["Annotation"]):
    def standing(self) -> Self:
        """Without those that were taken back."""
        return self.exclude(label="", discard_reason="")

    def labelled(self) -> Self:
        """Those that say something: no discards."""
        return self.exclude(label="")

    def of_who_is_among(self, people: models.QuerySet[User]) -> Self:
        """Without what other members said; who is no member of ours is nobody to leave out."""
        return self.filter(Q(user=None) | Q(user__in=people))

    def counted(self) -> Self:
        """Those that figures rest on: labels of answers that do not contradict themselves."""
        return self.labelled().exclude(contradicts_itself())


class Annotation(models.Model):
    """One person's answer to one question on one item, or why they gave none.

    `label` is true, false or a text of the question's own scale; neither label nor reason is an
    answer that was taken back. `annotator` is what Argilla or the file calls them, `user` the
    member behind it. `begun_at` is when Argilla first had an answer, `annotated_at` when this one
    was given.
    """

    item = models.ForeignKey(Item, models.PROTECT, related_name="annotations", db_index=False)
    question = models.ForeignKey(Question, models.PROTECT, related_name="annotations")
    annotator = models.CharField(max_length=120)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="annotations"
    )
    label = models.CharField(max_length=1_000, default="", blank=True)
    discard_reason = models.CharField(max_length=120, default="", blank=True)
    notes = models.TextField(default="", blank=True)
    begun_at = models.DateTimeField(null=True, blank=True)
    annotated_at = models.DateTimeField(null=True, blank=True)
    extra = models.JSONField(null=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = AnnotationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "question", "annotator"], name="one_annotation_a_person"
            ),
            models.CheckConstraint(
                condition=Q(label="") | Q(discard_reason=""),
                name="a_label_has_no_discard_reason",
            ),
        ]
        indexes = [models.Index(fields=["question", "label"], name="annotations_by_label")]

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


class Breach(models.Model):
    """An answer that contradicts itself: one constraint that one person's labels break.

    Where it blocks, none of their labels of that task on that item counts until it is mended.
    """

    class Severity(models.TextChoices):
        BLOCK = "block"
        WARN = "warn"

    item = models.ForeignKey(Item, models.PROTECT, related_name="breaches", db_index=False)
    annotator = models.CharField(max_length=120)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="breaches"
    )
    task_type = models.CharField(max_length=80, default="", blank=True)
    constraint = models.CharField(max_length=60)
    severity = models.CharField(max_length=5, choices=Severity.choices)
    message = models.CharField(max_length=400)
    found_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "annotator", "constraint"], name="one_breach_a_constraint"
            )
        ]

    def __str__(self) -> str:
        return self.message
