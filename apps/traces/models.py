"""What systems really did: traces with their events, and evidence that was checked."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from apps.accounts.models import Workspace, WorkspaceScoped
from apps.datasets.models import Upload
from apps.fields import PublicIdField


class TraceQuerySet(WorkspaceScoped["Trace"]):
    pass


class Trace(models.Model):
    """One run of a system. `sha256` is that of the record it came as: the same trace again is
    this one, other content under its id is refused."""

    class Source(models.TextChoices):
        EVENTS = "events"
        MESSAGES = "messages"

    id = PublicIdField("tr")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="traces", db_index=False)
    trace_id = models.CharField(max_length=128)
    source = models.CharField(max_length=10, choices=Source.choices)
    session_id = models.CharField(max_length=200, default="", blank=True)
    scenario_id = models.CharField(max_length=200, default="", blank=True)
    status = models.CharField(max_length=80, default="", blank=True)
    schema_version = models.CharField(max_length=20, default="", blank=True)
    event_count = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    about = models.TextField(default="", blank=True)
    """JSON of what a log says beside its messages."""
    upload = models.ForeignKey(Upload, models.PROTECT, null=True, related_name="traces")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = TraceQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "trace_id"], name="one_trace_an_id")
        ]
        indexes = [
            models.Index(fields=["workspace", "-id"], name="traces_newest_first"),
            models.Index(fields=["workspace", "scenario_id"], name="traces_by_scenario"),
            models.Index(fields=["workspace", "session_id"], name="traces_by_session"),
        ]

    def __str__(self) -> str:
        return self.trace_id


class TraceEvent(models.Model):
    """One step of a trace: an event of telemetry, or a message of a log (then `type` is its role).

    `payload`, `redacted` and `more` (what an event has beside its envelope) are JSON as text.
    """

    trace = models.ForeignKey(Trace, models.CASCADE, related_name="events", db_index=False)
    seq = models.PositiveIntegerField()
    type = models.CharField(max_length=120)
    redacted = models.TextField(default="", blank=True)
    more = models.TextField(default="", blank=True)
    payload = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["trace", "seq"], name="one_event_a_seq")]

    def __str__(self) -> str:
        return f"{self.seq} {self.type}"


class EvidenceQuerySet(WorkspaceScoped["EvidenceManifest"]):
    pass


class EvidenceManifest(models.Model):
    """A manifest that was checked beside its artifacts, and what was found wrong with it."""

    id = PublicIdField("ev")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="evidence")
    issuer = models.CharField(max_length=200, default="", blank=True)
    subject = models.CharField(max_length=200, default="", blank=True)
    measured_at = models.DateTimeField(null=True, blank=True)
    signals = models.JSONField(default=dict, blank=True)
    diagnostics = models.JSONField(default=list, blank=True)
    sha256 = models.CharField(max_length=64)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = EvidenceQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.subject} by {self.issuer}"

    @property
    def state(self) -> str:
        return "invalid" if self.diagnostics else "valid"
