"""What is labelled, and the records in Argilla that show it."""

from __future__ import annotations

from django.db import models

from apps.runs.models import Result

from .campaigns import Campaign, Queue


class Item(models.Model):
    """An answer, or (retrieval's unit) one chunk of its context.

    `pair_sha256` is that of query, answer and context: the same pair in another campaign has the
    same. `probability` is that of being drawn into the sample; None where nobody drew.
    `criteria` is how many criteria its record's rubric has.
    """

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="items", db_index=False)
    result = models.ForeignKey(Result, models.PROTECT, related_name="items")
    chunk = models.CharField(max_length=200, default="", blank=True)
    pair_sha256 = models.CharField(max_length=64, default="", blank=True, editable=False)
    probability = models.FloatField(null=True, editable=False)
    stratum = models.CharField(max_length=200, default="", blank=True, editable=False)
    criteria = models.PositiveSmallIntegerField(default=0, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "result", "chunk"], name="one_item_a_unit"),
            models.CheckConstraint(
                condition=models.Q(probability__isnull=True)
                | models.Q(probability__gt=0, probability__lte=1),
                name="items_are_drawn_with_a_probability",
            ),
        ]
        indexes = [models.Index(fields=["pair_sha256"], name="items_by_pair")]

    def __str__(self) -> str:
        return f"{self.campaign_id} {self.result_id} {self.chunk}".strip()


class DeskRecord(models.Model):
    """An item in a queue: one record in Argilla, which knows it by `external_id`."""

    queue = models.ForeignKey(Queue, models.PROTECT, related_name="records", db_index=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="desk_records")
    pushed_at = models.DateTimeField(null=True)
    submitted = models.PositiveSmallIntegerField(default=0)
    discarded = models.PositiveSmallIntegerField(default=0)
    """How many people have answered it, and how many have said why they cannot."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["queue", "item"], name="once_in_a_queue")]
        indexes = [
            models.Index(
                fields=["queue", "id"],
                condition=models.Q(pushed_at=None),
                name="desk_records_to_push",
            )
        ]

    def __str__(self) -> str:
        return self.external_id

    @property
    def external_id(self) -> str:
        return f"item-{self.pk}"
