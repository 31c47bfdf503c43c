"""Judges against people: what was held against which question, and what came of it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.jobs.models import Job
from apps.labeling.models import Campaign, Question


class Calibration(models.Model):
    """One judge or rule of a campaign's run, held against people's answers to one question.

    `rule` '' is the verdict of the whole contract. `matched` says that both ask the same, by their
    names or because somebody (`declared_by`) said so: only then it counts as calibrated, raises
    reviews and corrects a pass rate. `passes_from` is the label of a scale from which people pass
    an answer; with `yes_fails` the question asks for a fault, and they pass it where they say no or
    stay below that label. `threshold` is the score from which a judge without verdicts passes.
    `judge_versions` are the targets that were asked, of a panel several. `body` is a
    `metrics.labels.Calibration`; None until it was first computed.
    """

    campaign = models.ForeignKey(
        Campaign, models.PROTECT, related_name="calibrations", db_index=False
    )
    question = models.ForeignKey(Question, models.PROTECT, related_name="calibrations")
    rule = models.CharField(max_length=80, default="", blank=True)
    judge = models.CharField(max_length=120, default="", blank=True)
    method = models.CharField(max_length=40, default="", blank=True)
    verifier = models.CharField(max_length=120, default="", blank=True)
    judge_versions = models.JSONField(default=list, blank=True)
    matched = models.BooleanField(default=False)
    declared_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    yes_fails = models.BooleanField(default=False)
    passes_from = models.FloatField(null=True, blank=True)
    threshold = models.FloatField(null=True, blank=True)
    body = models.JSONField(null=True)
    conflicts = models.PositiveIntegerField(default=0)
    as_of = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "question", "rule", "judge", "method", "verifier"],
                name="one_calibration_a_judge",
            ),
            models.CheckConstraint(
                condition=Q(threshold__isnull=True) | Q(threshold__gte=0, threshold__lte=1),
                name="thresholds_lie_between_0_and_1",
            ),
        ]
        indexes = [models.Index(fields=["verifier", "rule"], name="calibrations_by_verifier")]

    def __str__(self) -> str:
        return f"{self.name} against {self.question}"

    @property
    def name(self) -> str:
        """How pages call the judge or rule."""
        return " · ".join(filter(None, (self.rule, self.judge))) or "The contract's verdict"


class CalibrationStep(Job):
    """A campaign's judges against its people, computed again after each analysis of its labels."""

    handler = "apps.analysis.calibration.computing"

    campaign = models.OneToOneField(Campaign, models.PROTECT, related_name="calibration_step")
    asked_at = models.DateTimeField(db_default=Now(), editable=False)
    as_of = models.DateTimeField(null=True, editable=False)
    """The analysis that it last followed."""

    def __str__(self) -> str:
        return f"{self.campaign_id} judges"
