"""Asking, answering, judging: runs and all that they leave behind."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.accounts.models import Workspace, WorkspaceScoped
from apps.artifacts.models import Bundle
from apps.datasets.models import DatasetVersion, Record, Upload
from apps.fields import PublicIdField
from apps.grading.models import ContractVersion
from apps.grading.trials import Over
from apps.jobs.models import Job
from apps.targets.models import Target, TargetVersion


class RunState(models.TextChoices):
    QUEUED = "queued"
    VALIDATING = "validating"
    RUNNING = "running"
    RETRYING = "retrying"
    FINALIZING = "finalizing"
    COMPLETED = "completed"
    COMPLETED_WITH_FAILURES = "completed_with_failures"
    FAILED = "failed"
    CANCELLED = "cancelled"


TERMINAL = (
    RunState.COMPLETED,
    RunState.COMPLETED_WITH_FAILURES,
    RunState.FAILED,
    RunState.CANCELLED,
)
ASKING = (RunState.RUNNING, RunState.RETRYING)


class RunQuerySet(WorkspaceScoped["Run"]):
    def active(self) -> RunQuerySet:
        return self.filter(archived_at=None)

    def open(self) -> RunQuerySet:
        return self.exclude(state__in=TERMINAL)

    def hold(self) -> bool:
        """Lock the run until the transaction ends; False where the filter finds none."""
        return self.select_for_update(no_key=True).values_list("pk").first() is not None


class Run(models.Model):
    """One execution; immutable once it has ended. `plan` is frozen at the start and hashed.

    `planned` counts tries: each of the valid records as often as the plan has trials.
    """

    class Kind(models.TextChoices):
        FRESH = "fresh"
        RESUME = "resume"
        RETRY = "retry"
        REGRADE = "regrade"
        RECORDED = "recorded"

    id = PublicIdField("run")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="runs")
    name = models.CharField(max_length=200, default="", blank=True)
    note = models.TextField(default="", blank=True)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.FRESH)
    parent = models.ForeignKey("self", models.PROTECT, null=True, related_name="children")
    dataset_version = models.ForeignKey(DatasetVersion, models.PROTECT, related_name="runs")
    contract_version = models.ForeignKey(
        ContractVersion, models.PROTECT, null=True, related_name="runs"
    )
    answers = models.ForeignKey(Upload, models.PROTECT, null=True, related_name="+")
    plan = models.JSONField()
    plan_sha256 = models.CharField(max_length=64)
    bundle = models.OneToOneField(Bundle, models.PROTECT, null=True, related_name="run")
    idempotency_key = models.CharField(max_length=128, null=True, blank=True)
    state = models.CharField(
        max_length=24, choices=RunState.choices, default=RunState.QUEUED, editable=False
    )
    reason = models.TextField(default="", blank=True)
    cancel_requested_at = models.DateTimeField(null=True)
    total_records = models.PositiveIntegerField()
    valid_records = models.PositiveIntegerField()
    planned = models.PositiveIntegerField()
    concurrency = models.PositiveSmallIntegerField(default=1)
    slots = models.PositiveSmallIntegerField(default=1)
    spent = models.FloatField(default=0.0)
    cost_cap = models.FloatField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    request_id = models.CharField(max_length=64, default="", blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True)
    completed_at = models.DateTimeField(null=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "idempotency_key"], name="one_run_an_idempotency_key"
            ),
            models.CheckConstraint(
                condition=Q(state__in=TERMINAL, completed_at__isnull=False)
                | (~Q(state__in=TERMINAL) & Q(completed_at__isnull=True)),
                name="ended_runs_have_an_end",
            ),
            models.UniqueConstraint(
                fields=["dataset_version"],
                condition=Q(kind="recorded"),
                name="one_recorded_run_a_version",
            ),
        ]
        indexes = [
            models.Index(fields=["workspace", "-id"], name="runs_newest_first"),
            models.Index(fields=["id"], condition=~Q(state__in=TERMINAL), name="runs_open"),
        ]

    def __str__(self) -> str:
        return self.name or self.id

    @property
    def is_open(self) -> bool:
        return self.state not in TERMINAL

    @property
    def title(self) -> str:
        return self.name or f"{self.dataset_version}"

    @property
    def trials(self) -> int:
        """How often each record is tried."""
        return int(self.plan["settings"].get("trials", 1))

    @property
    def over_trials(self) -> Over:
        """What several trials make of a record, as the contract says."""
        return self.contract_version.parsed.trials if self.contract_version else "mean"

    @property
    def rejected(self) -> int:
        """Records that validation rejected."""
        return self.total_records - self.valid_records

    @property
    def counted_in(self) -> str:
        """What its counts are of: records, or the tries of several trials."""
        return "tries" if self.trials > 1 else "records"

    @property
    def unit(self) -> str:
        """One and many of what is counted."""
        return "try,tries" if self.trials > 1 else "record,records"


class RunTarget(models.Model):
    """Who answers (`role` target) or judges (`role` judge) in a run; records may name one."""

    class Role(models.TextChoices):
        TARGET = "target"
        JUDGE = "judge"

    run = models.ForeignKey(Run, models.PROTECT, related_name="targets")
    role = models.CharField(max_length=6, choices=Role.choices, default=Role.TARGET)
    name = models.CharField(max_length=120)
    target_version = models.ForeignKey(TargetVersion, models.PROTECT, related_name="runs")
    is_default = models.BooleanField(default=False)

    class Meta:
        constraints = [
            # the default judge may be one that a rule also names
            models.UniqueConstraint(
                fields=["run", "role", "name", "is_default"], name="one_target_a_name_in_run"
            )
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.role} {self.name}"


class StateChange(models.Model):
    run = models.ForeignKey(Run, models.PROTECT, related_name="state_changes")
    seq = models.PositiveIntegerField()
    state = models.CharField(max_length=24, choices=RunState.choices)
    at = models.DateTimeField()
    reason = models.TextField(default="", blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["run", "seq"]
        constraints = [
            models.UniqueConstraint(fields=["run", "seq"], name="one_state_change_a_seq")
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.state}"


class Chunk(Job):
    """Some records of a run to ask; `held` keeps what those that were asked already have.

    `items` are [ordinal, trial] pairs; `held` maps "ordinal.trial" to a `contracts.Held`.
    """

    handler = "apps.runs.chunks"
    lease_seconds = settings.LEASE_SECONDS

    run = models.ForeignKey(Run, models.PROTECT, related_name="chunks")
    target = models.ForeignKey(Target, models.PROTECT, related_name="+")
    seq = models.CharField(max_length=64)
    items = models.JSONField()
    held = models.JSONField(default=dict)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["run", "seq"], name="one_chunk_a_seq"),
        ]
        indexes = [
            *Job.Meta.indexes,
            models.Index(
                fields=["run"],
                condition=Q(state__in=["pending", "sent", "running"]),
                name="open_chunks_by_run",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.seq}"


class RunStep(Job):
    """What happens once in a run beside its chunks."""

    class Name(models.TextChoices):
        PREPARE = "prepare"
        SUMMARISE = "summarise"
        FINALISE = "finalise"

    handler = "apps.runs.steps"

    run = models.ForeignKey(Run, models.PROTECT, related_name="steps")
    name = models.CharField(max_length=10, choices=Name.choices)

    class Meta(Job.Meta):
        constraints = [
            *Job.Meta.constraints,
            models.UniqueConstraint(fields=["run", "name"], name="one_step_a_name"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.name}"


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


class Summary(models.Model):
    """One metric of one slice of a run; family and value are '' for the whole run."""

    run = models.ForeignKey(Run, models.PROTECT, related_name="summaries")
    family = models.CharField(max_length=80, default="", blank=True)
    value = models.CharField(max_length=200, default="", blank=True)
    metric = models.CharField(max_length=120)
    n = models.PositiveIntegerField()
    point = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    method = models.CharField(max_length=40, default="", blank=True)
    reason = models.CharField(max_length=200, default="", blank=True)
    shape = models.JSONField(null=True)
    as_of = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "family", "value", "metric"], name="one_summary_a_metric"
            )
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.family}={self.value} {self.metric}"


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
