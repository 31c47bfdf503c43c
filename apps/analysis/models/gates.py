"""Gates: what a release is held to, the approved baseline, each answer and who overrode it."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.accounts.models import User, Workspace, WorkspaceScoped
from apps.datasets.models import Dataset
from apps.fields import PublicIdField
from apps.runs.models import Run

from .comparisons import Comparison
from .kept import Kept, KeptQuerySet, NeverChanged, StandingQuerySet


class GatePolicyQuerySet(WorkspaceScoped["GatePolicy"]):
    def active(self) -> Self:
        return self.filter(archived_at=None)


class GatePolicy(models.Model):
    """A name for what releases are held to; with a dataset it is offered for that one's runs."""

    id = PublicIdField("gp")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="gate_policies")
    name = models.CharField(max_length=120)
    description = models.TextField(default="", blank=True)
    dataset = models.ForeignKey(Dataset, models.PROTECT, null=True, related_name="gate_policies")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    archived_at = models.DateTimeField(null=True, blank=True)

    objects = GatePolicyQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="one_gate_policy_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


class GatePolicyVersionQuerySet(KeptQuerySet["GatePolicyVersion"]):
    pass


class GatePolicyVersion(Kept):
    """What a policy said at one time; never changed, for decisions point at it.

    `spec` is a `gates.policies.spec.PolicySpec` as canonical JSON.
    """

    policy = models.ForeignKey(GatePolicy, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    spec = models.TextField()
    spec_sha256 = models.CharField(max_length=64)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = GatePolicyVersionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["policy", "number"], name="one_gate_policy_version_a_number"
            )
        ]

    def __str__(self) -> str:
        return f"{self.policy}@{self.number}"


class BaselineQuerySet(StandingQuerySet["Baseline"]):
    pass


class Baseline(Kept):
    """The run that a policy compares with, approved by somebody; a new one replaces it.

    Without a run the baseline was taken back. Only `is_current` ever changes.
    """

    policy = models.ForeignKey(GatePolicy, models.PROTECT, related_name="baselines")
    seq = models.PositiveIntegerField()
    run = models.ForeignKey(Run, models.PROTECT, null=True, related_name="baseline_of")
    reason = models.TextField()
    is_current = models.BooleanField(default=True)
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    approved_at = models.DateTimeField()

    objects = BaselineQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["policy", "seq"], name="one_baseline_a_seq"),
            models.UniqueConstraint(
                fields=["policy"], condition=Q(is_current=True), name="one_current_baseline"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.policy_id} {self.run_id}"


class Answer(models.TextChoices):
    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


class GateDecisionQuerySet(NeverChanged, WorkspaceScoped["GateDecision"]):
    def visible_to(self, user: User | AnonymousUser) -> Self:
        """Those whose runs they may see, both of them: a decision tells scores."""
        seen = Run.objects.visible_to(user)
        compared = Q(baseline=None) | Q(baseline__in=seen)
        return super().visible_to(user).filter(compared, run__in=seen)


class GateDecision(Kept):
    """What the gate said of a run, by which policy, against which baseline; never changed.

    `body` is a `gates.contracts.Decided`: every check with its reason, and the release judgment.
    """

    id = PublicIdField("gd")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="gate_decisions")
    policy_version = models.ForeignKey(GatePolicyVersion, models.PROTECT, related_name="decisions")
    run = models.ForeignKey(Run, models.PROTECT, related_name="gate_decisions")
    baseline = models.ForeignKey(Run, models.PROTECT, null=True, related_name="+")
    comparison = models.ForeignKey(
        Comparison, models.PROTECT, null=True, related_name="gate_decisions"
    )
    change_id = models.CharField(max_length=200)
    answer = models.CharField(max_length=12, choices=Answer.choices)
    body = models.JSONField()
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    via = models.CharField(max_length=10)
    request_id = models.CharField(max_length=64, default="", blank=True)
    decided_at = models.DateTimeField()

    objects = GateDecisionQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["workspace", "-id"], name="gate_decisions_newest_first")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.answer}"


class GateOverrideQuerySet(StandingQuerySet["GateOverride"]):
    pass


class GateOverride(Kept):
    """What a reviewer of the release says in the gate's place, with their name and a reason.

    Only `is_current` ever changes.
    """

    decision = models.ForeignKey(GateDecision, models.PROTECT, related_name="overrides")
    seq = models.PositiveIntegerField()
    answer = models.CharField(max_length=12, choices=Answer.choices)
    reason = models.TextField()
    is_current = models.BooleanField(default=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    objects = GateOverrideQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["decision", "seq"], name="one_gate_override_a_seq"),
            models.UniqueConstraint(
                fields=["decision"], condition=Q(is_current=True), name="one_current_gate_override"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="gate_overrides_have_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.decision_id} {self.answer}"
