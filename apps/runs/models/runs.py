"""One execution: who answers in it, which states it went through."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.accounts.models import User, Workspace, WorkspaceScoped
from apps.artifacts.models import Bundle
from apps.datasets.models import DatasetVersion, Upload
from apps.fields import PublicIdField
from apps.grading.models import ContractVersion
from apps.grading.trials import Over
from apps.runs.later.concealing import concealed_from
from apps.targets.models import TargetVersion


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
    def visible_to(self, user: User | AnonymousUser) -> Self:
        """Those of their workspaces, without what is concealed from them for now."""
        visible = super().visible_to(user)
        return visible.exclude(concealed_from(user)) if isinstance(user, User) else visible

    def concealed_from(self, user: User) -> Self:
        """Those that this member would see, were they not concealed for now."""
        return super().visible_to(user).filter(concealed_from(user))

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
