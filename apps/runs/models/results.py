"""What became of each record: its result, its calls, its scores."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.datasets.models import Record
from apps.runs.words import cause_title
from apps.targets.models import TargetVersion

from .runs import Run


class ResultStatus(models.TextChoices):
    COMPLETED = "completed"
    TIMEOUT = "timeout"
    EVALUATION_ERROR = "evaluation_error"
    CANCELLED = "cancelled"


class Result(models.Model):
    """What became of one record in one run; written only when it is final."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="results")
    record = models.ForeignKey(Record, models.PROTECT, related_name="results")
    ordinal = models.PositiveIntegerField()
    trial = models.PositiveSmallIntegerField(default=0)
    target_version = models.ForeignKey(TargetVersion, models.PROTECT, null=True, related_name="+")
    status = models.CharField(max_length=16, choices=ResultStatus.choices)
    cause = models.CharField(max_length=40, default="", blank=True)
    detail = models.TextField(default="", blank=True)
    response = models.TextField(default="", blank=True)
    extra = models.JSONField(null=True)
    latency_ms = models.PositiveIntegerField(null=True)
    input_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    total_tokens = models.PositiveIntegerField(null=True)
    cost = models.FloatField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    first_attempt_at = models.DateTimeField(null=True)
    last_attempt_at = models.DateTimeField(null=True)
    carried = models.BooleanField(default=False)
    verdict = models.CharField(max_length=10, default="", blank=True)
    score = models.FloatField(null=True)
    process_score = models.FloatField(null=True)
    outcome_score = models.FloatField(null=True)
    redactions = models.JSONField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "ordinal", "trial"], name="one_result_a_trial")
        ]
        indexes = [
            # verdict last: the counts of the run page come from the index alone
            models.Index(
                fields=["run", "status", "cause", "ordinal", "verdict"], name="results_by_cause"
            ),
            models.Index(fields=["run", "verdict", "ordinal"], name="results_by_verdict"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} #{self.ordinal}.{self.trial} {self.status}"

    @property
    def cause_title(self) -> str:
        return cause_title(self.status, self.cause)


class Attempt(models.Model):
    """One call, of a target or of a judge; the key has no NULL, so a second delivery is one row."""

    class Purpose(models.TextChoices):
        TARGET = "target"
        JUDGE = "judge"

    run = models.ForeignKey(Run, models.PROTECT, related_name="attempts")
    ordinal = models.PositiveIntegerField()
    trial = models.PositiveSmallIntegerField(default=0)
    purpose = models.CharField(max_length=6, choices=Purpose.choices, default=Purpose.TARGET)
    rule = models.CharField(max_length=80, default="", blank=True)
    call = models.CharField(max_length=80, default="", blank=True)
    number = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField()
    latency_ms = models.PositiveIntegerField(null=True)
    error_code = models.CharField(max_length=40, default="", blank=True)
    detail = models.TextField(default="", blank=True)
    http_status = models.PositiveSmallIntegerField(null=True)
    retry_after_ms = models.PositiveIntegerField(null=True)
    input_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    cost = models.FloatField(null=True)
    request_sha256 = models.CharField(max_length=64, default="", blank=True)
    cached = models.BooleanField(default=False)
    model = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "ordinal", "trial", "purpose", "rule", "call", "number"],
                name="one_attempt_a_call",
            )
        ]

    def __str__(self) -> str:
        return f"{self.run_id} #{self.ordinal} {self.purpose} {self.number}"

    @property
    def error(self) -> str:
        """In words; "" of an answer."""
        return cause_title("", self.error_code)


class Score(models.Model):
    """What one rule says of one result; imported scores are the same rows, without a verdict."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="scores")
    result = models.ForeignKey(Result, models.PROTECT, related_name="scores")
    rule = models.CharField(max_length=80)
    judge = models.CharField(max_length=120, default="", blank=True)
    value = models.FloatField(null=True)
    verdict = models.CharField(max_length=5, default="", blank=True)
    method = models.CharField(max_length=40, default="", blank=True)
    verifier = models.CharField(max_length=120, default="", blank=True)
    source = models.CharField(max_length=8, default="", blank=True)
    reason = models.TextField(default="", blank=True)
    raw = models.JSONField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["result", "rule", "judge", "method", "verifier"], name="one_score_a_rule"
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=True) | Q(value__gte=0, value__lte=1),
                name="scores_lie_between_0_and_1",
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False) | ~Q(reason=""), name="no_score_has_a_reason"
            ),
        ]
        indexes = [models.Index(fields=["run", "rule", "verdict", "result"], name="scores_by_rule")]

    def __str__(self) -> str:
        return f"{self.result_id} {self.rule} {self.verdict}"


class CachedAnswer(models.Model):
    """What a judge with temperature 0 said to one request: the same request is not asked again."""

    target_version = models.ForeignKey(TargetVersion, models.PROTECT, related_name="+")
    request_sha256 = models.CharField(max_length=64)
    text = models.TextField()
    model = models.CharField(max_length=200, default="", blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["target_version", "request_sha256"], name="one_answer_a_request"
            )
        ]

    def __str__(self) -> str:
        return f"{self.target_version_id} {self.request_sha256[:12]}"
