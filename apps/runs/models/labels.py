"""What people say went wrong."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from .results import Result


class Failure(models.TextChoices):
    """The evaluation specification's names for what went wrong."""

    INCORRECT = "incorrect_answer"
    MISSING = "missing_required_content"
    UNFAITHFUL = "unfaithful_to_context"
    HALLUCINATED = "hallucinated_fact"
    FORMAT = "format_or_schema_violation"
    MISUSE = "tool_or_retrieval_misuse"
    LATENCY = "timeout_or_latency_exceeded"
    OTHER = "other"


class FailureLabel(models.Model):
    """What somebody says went wrong in one result; a new label replaces, none is ever changed.

    `secondary` is a list of further `Failure` values; `attribution` says what is to blame.
    """

    result = models.ForeignKey(Result, models.PROTECT, related_name="failure_labels")
    seq = models.PositiveIntegerField()
    primary = models.CharField(max_length=40, choices=Failure.choices)
    secondary = models.JSONField(default=list)
    attribution = models.CharField(max_length=80, default="", blank=True)
    note = models.TextField(default="", blank=True)
    is_current = models.BooleanField(default=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["result", "seq"], name="one_failure_label_a_seq"),
            models.UniqueConstraint(
                fields=["result"], condition=Q(is_current=True), name="one_current_failure_label"
            ),
        ]
        indexes = [models.Index(fields=["primary", "result"], name="failure_labels_by_primary")]

    def __str__(self) -> str:
        return f"{self.result_id} {self.primary}"
