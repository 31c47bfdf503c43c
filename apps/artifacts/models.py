"""What is kept: content-addressed files, bundles of them, and plans to let them go."""

from datetime import timedelta

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from apps.accounts.models import Workspace, WorkspaceScoped
from apps.fields import PublicIdField


class Tier(models.TextChoices):
    """How long the bytes stay: raw ones leave first."""

    RAW = "raw", "Raw"
    SUMMARY = "summary", "Summary"


class Blob(models.Model):
    """A stored file, named by its content; other chapters refer to it with PROTECT."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    size = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return self.sha256


class BundleQuerySet(WorkspaceScoped["Bundle"]):
    pass


class Bundle(models.Model):
    """The write-once files of one thing (a run); sealed by the hash of its manifest."""

    id = PublicIdField("bun")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="bundles")
    kind = models.CharField(max_length=20)
    manifest_sha256 = models.CharField(max_length=64, null=True)
    sealed_at = models.DateTimeField(null=True)
    raw_until = models.DateTimeField(null=True)
    summary_until = models.DateTimeField(null=True)

    objects = BundleQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(sealed_at__isnull=True, manifest_sha256__isnull=True)
                | Q(sealed_at__isnull=False, manifest_sha256__isnull=False),
                name="sealed_by_its_manifest",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"

    @property
    def sealed(self) -> bool:
        return self.sealed_at is not None


class ArtifactQuerySet(WorkspaceScoped["Artifact"]):
    workspace_path = "bundle__workspace"


class Artifact(models.Model):
    """A file of a bundle; its hash and size outlive its bytes."""

    bundle = models.ForeignKey(Bundle, models.PROTECT, related_name="artifacts")
    name = models.CharField(max_length=100)
    blob = models.ForeignKey(Blob, models.PROTECT, null=True, related_name="artifacts")
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    rows = models.PositiveIntegerField(null=True)
    tier = models.CharField(max_length=10, choices=Tier.choices)
    media_type = models.CharField(max_length=100)
    redactions = models.JSONField(default=dict)
    purged_at = models.DateTimeField(null=True)

    objects = ArtifactQuerySet.as_manager()

    class Meta:
        ordering = ["bundle", "name"]
        constraints = [
            models.UniqueConstraint(fields=["bundle", "name"], name="one_artifact_of_a_name"),
            models.CheckConstraint(condition=Q(tier__in=Tier.values), name="known_tier"),
            models.CheckConstraint(
                condition=Q(blob__isnull=True, purged_at__isnull=False)
                | Q(blob__isnull=False, purged_at__isnull=True),
                name="bytes_until_purged",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class RetentionPlan(models.Model):
    """What a purge would take, shown for a day before it happens."""

    NOTICE = timedelta(hours=24)

    made_at = models.DateTimeField()
    due = models.PositiveIntegerField()
    bytes = models.PositiveBigIntegerField()
    applied_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-made_at"]

    def __str__(self) -> str:
        return f"{self.due} artifacts, {self.bytes} bytes"
