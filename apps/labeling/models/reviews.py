"""What people could not agree on, and how it was settled."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from .campaigns import Question
from .items import Item


class Review(models.Model):
    """A question on an item that somebody decides; the settled answer is authoritative.

    `blind_label` is what the reviewer said before they saw what others had said. A review that is
    no longer needed (more labels came) is withdrawn while it is open; a settled one stays.
    """

    class Reason(models.TextChoices):
        TIE = "tie"
        SPLIT = "split"
        ADJUDICATE = "adjudicate"
        JUDGE = "judge"
        AUDIT = "audit"
        GOLD = "gold"

    class State(models.TextChoices):
        OPEN = "open"
        SETTLED = "settled"
        WITHDRAWN = "withdrawn"

    item = models.ForeignKey(Item, models.PROTECT, related_name="reviews", db_index=False)
    question = models.ForeignKey(Question, models.PROTECT, related_name="reviews")
    reason = models.CharField(max_length=10, choices=Reason.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    raised_at = models.DateTimeField(db_default=Now(), editable=False)
    blind_label = models.CharField(max_length=1_000, default="", blank=True)
    blind_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    blind_at = models.DateTimeField(null=True)
    label = models.CharField(max_length=1_000, default="", blank=True)
    comment = models.TextField(default="", blank=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    settled_at = models.DateTimeField(null=True)
    gold_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    gold_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "question"], name="one_review_a_question"),
            models.CheckConstraint(
                condition=Q(state="settled", settled_at__isnull=False)
                | (~Q(state="settled") & Q(settled_at__isnull=True, label="")),
                name="settled_reviews_have_a_moment",
            ),
            models.CheckConstraint(
                condition=Q(gold_at__isnull=True) | (Q(state="settled") & ~Q(label="")),
                name="gold_is_settled",
            ),
        ]
        indexes = [
            models.Index(
                fields=["state", "raised_at"], name="reviews_open", condition=Q(state="open")
            )
        ]

    def __str__(self) -> str:
        return f"{self.item_id} {self.question_id} {self.state}"


class ReviewChange(models.Model):
    """One step of a review: a blind answer, a settlement, a change of mind, gold or no longer."""

    review = models.ForeignKey(Review, models.PROTECT, related_name="changes")
    what = models.CharField(max_length=20)
    label = models.CharField(max_length=1_000, default="", blank=True)
    comment = models.TextField(default="", blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"{self.review_id} {self.what}"
