"""What is asked: uploads, datasets, their immutable versions and their records."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from apps.accounts.models import Workspace, WorkspaceScoped
from apps.artifacts.models import Blob
from apps.fields import PublicIdField
from apps.jobs.models import Job, JobState


class DatasetQuerySet(WorkspaceScoped["Dataset"]):
    def active(self) -> DatasetQuerySet:
        return self.filter(archived_at=None)


class Dataset(models.Model):
    id = PublicIdField("ds")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="datasets")
    name = models.CharField(max_length=128)
    description = models.TextField(default="", blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    archived_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = DatasetQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="one_dataset_a_name")
        ]

    def __str__(self) -> str:
        return self.name


class VersionQuerySet(WorkspaceScoped["DatasetVersion"]):
    workspace_path = "dataset__workspace"


class DatasetVersion(models.Model):
    """What one upload was accepted as; never changed, the same bytes are the same version."""

    id = PublicIdField("dsv")
    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="versions")
    label = models.CharField(max_length=64)
    format = models.CharField(max_length=20)
    identity = models.CharField(max_length=64)
    header = models.JSONField()
    records_sha256 = models.CharField(max_length=64)
    total = models.PositiveIntegerField()
    accepted = models.PositiveIntegerField()
    rejected = models.PositiveIntegerField()
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = VersionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "label"], name="one_version_a_label"),
            models.UniqueConstraint(fields=["dataset", "identity"], name="same_bytes_same_version"),
            models.CheckConstraint(
                condition=models.Q(total=models.F("accepted") + models.F("rejected")),
                name="version_counts_add_up",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.dataset.name} {self.label}"


class Record(models.Model):
    """One item of a version; `payload` is its canonical JSON, byte for byte what was hashed.

    Here and below, a unique constraint that begins with the foreign key is its index.
    """

    version = models.ForeignKey(
        DatasetVersion, models.PROTECT, related_name="records", db_index=False
    )
    ordinal = models.PositiveIntegerField()
    record_id = models.CharField(max_length=128)
    kind = models.CharField(max_length=20)
    sha256 = models.CharField(max_length=64)
    input_sha256 = models.CharField(max_length=64)
    group = models.CharField(max_length=200, default="", blank=True)
    head = models.CharField(max_length=200)
    offset = models.PositiveBigIntegerField()
    length = models.PositiveIntegerField()
    payload = models.TextField()  # last: a search of the other columns then leaves it unread

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "ordinal"], name="one_record_an_ordinal"),
            models.UniqueConstraint(fields=["version", "record_id"], name="one_record_an_id"),
        ]
        indexes = [
            models.Index(fields=["version", "input_sha256"], name="records_by_input"),
            # All that the list shows: it is searched without touching a payload.
            models.Index(
                fields=["version", "ordinal", "record_id", "head"], name="records_searched"
            ),
        ]

    def __str__(self) -> str:
        return self.record_id


class Facet(models.Model):
    """A slice of a version: a tag, a task type, a length, a metadata key's value."""

    version = models.ForeignKey(
        DatasetVersion, models.PROTECT, related_name="facets", db_index=False
    )
    family = models.CharField(max_length=80)
    value = models.CharField(max_length=200)
    n = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "family", "value"], name="one_facet_each")
        ]

    def __str__(self) -> str:
        return f"{self.family}={self.value}"

    @property
    def spelled(self) -> str:
        """How a filter in an address names it."""
        return str(self)


class FacetMember(models.Model):
    facet = models.ForeignKey(Facet, models.PROTECT, related_name="members", db_index=False)
    ordinal = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["facet", "ordinal"], name="once_in_a_facet")]

    def __str__(self) -> str:
        return f"{self.facet_id}:{self.ordinal}"


UNDECIDED = ("mapping_needed", "main_needed")
"""Refusals that a person's choice undoes: which column, which file."""


class UploadQuerySet(WorkspaceScoped["Upload"]):
    pass


class Upload(Job):
    """A bundle of files that somebody sent, and what became of it.

    `done` and `total` are bytes. `outcome` is None until it has been read; then it has the HTTP
    `status` of the answer, `warnings`, and `code`, `message` and `details` where it was refused;
    `told` and `address` where it became something else than a dataset version; `preview` with the
    first records where nothing more was wanted.
    """

    handler = "apps.datasets.uploading.uploads"
    queue = "long"
    told: Callable[[int, int, int], None] | None = None
    """Who else is told of the progress: the terminal of a command."""

    class Purpose(models.TextChoices):
        DATASET = "dataset"
        ANSWERS = "answers"
        ANNOTATIONS = "annotations"
        SCORES = "scores"
        TRACES = "traces"

    id = PublicIdField("up")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="uploads")
    purpose = models.CharField(max_length=12, choices=Purpose.choices, default=Purpose.DATASET)
    format = models.CharField(max_length=20, default="", blank=True)
    options = models.JSONField(default=dict, blank=True)
    via = models.CharField(max_length=10, default="page", editable=False)
    identity = models.CharField(max_length=64)
    name = models.CharField(max_length=200)
    counts = models.JSONField(default=dict, blank=True)
    outcome = models.JSONField(null=True, blank=True)
    dataset = models.ForeignKey(Dataset, models.PROTECT, null=True, related_name="uploads")
    version = models.ForeignKey(DatasetVersion, models.PROTECT, null=True, related_name="uploads")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    request_id = models.CharField(max_length=64, default="", blank=True)
    started_at = models.DateTimeField(null=True, editable=False)
    read_at = models.DateTimeField(null=True, editable=False)
    """When it was claimed, and when all of it had been read: from then on it is stored."""

    objects = UploadQuerySet.as_manager()

    class Meta(Job.Meta):
        indexes = [
            *Job.Meta.indexes,
            models.Index(fields=["workspace", "-id"], name="uploads_newest_first"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def phase(self) -> str:
        """What it is at or how it ended, in one word that `c-state` knows."""
        if self.state == JobState.RUNNING:
            return "storing" if self.done >= self.total else "validating"
        if self.state in (JobState.PENDING, JobState.SENT):
            return "waiting"
        if (self.outcome or {}).get("code") in UNDECIDED:
            return "needs_a_choice"
        return self.verdict or self.state

    @property
    def verdict(self) -> str:
        """`accepted`, `accepted_with_record_errors`, `preview` or `rejected`; empty while it is
        open."""
        if self.outcome is None:
            return ""
        words = {200: "preview", 201: "accepted", 202: "accepted_with_record_errors"}
        return words.get(self.outcome["status"], "rejected")


class UploadFile(models.Model):
    class Role(models.TextChoices):
        MAIN = "main"
        SIDECAR = "sidecar"
        ATTACHMENT = "attachment"

    upload = models.ForeignKey(Upload, models.PROTECT, related_name="files")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MAIN)
    path = models.CharField(max_length=400)
    blob = models.ForeignKey(Blob, models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["upload", "path"], name="one_upload_file_a_path")
        ]

    def __str__(self) -> str:
        return self.path


class UploadIssue(models.Model):
    """One thing wrong with an upload; `seq` keeps the reader's order."""

    upload = models.ForeignKey(Upload, models.PROTECT, related_name="issues", db_index=False)
    seq = models.PositiveIntegerField()
    index = models.PositiveIntegerField(null=True)
    line = models.PositiveIntegerField(null=True)
    record_id = models.CharField(max_length=128, null=True)
    hint = models.TextField(default="", blank=True)
    code = models.CharField(max_length=40)
    severity = models.CharField(max_length=8, default="error")
    path = models.CharField(max_length=400)
    message = models.TextField()
    value = models.TextField(default="", blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["upload", "seq"], name="one_issue_a_seq")]
        indexes = [models.Index(fields=["upload", "code", "seq"], name="issues_by_code")]

    def __str__(self) -> str:
        return f"{self.code} {self.path}"


class Variable(models.Model):
    """What `${{ NAME }}` in a file stands for. Members see it: it is no place for a secret."""

    workspace = models.ForeignKey(
        Workspace, models.CASCADE, related_name="variables", db_index=False
    )
    name = models.CharField(max_length=80)
    value = models.CharField(max_length=2_000, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="one_variable_a_name")
        ]

    def __str__(self) -> str:
        return self.name
