"""Who answers: targets, the immutable versions of their specs, and their pace."""

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from apps.accounts.models import Workspace, WorkspaceScoped
from apps.fields import PublicIdField

from .specs import SPEC_OF_KIND, TargetSpec, parse_spec


class TargetQuerySet(WorkspaceScoped["Target"]):
    def active(self) -> Self:
        return self.filter(archived_at=None)


class Target(models.Model):
    """A system under test or a judge; what it is now is the version numbered `current_number`."""

    id = PublicIdField("tgt")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="targets")
    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=20)
    current_number = models.PositiveIntegerField(default=1)
    archived_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = TargetQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "name"], name="one_target_a_name")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def label(self) -> str:
        """What the kind is called; a scripted target says so here."""
        return SPEC_OF_KIND[self.kind].label

    @property
    def scripted(self) -> bool:
        return SPEC_OF_KIND[self.kind].scripted

    @property
    def current(self) -> "TargetVersion":
        return self.versions.get(number=self.current_number)


class TargetVersionQuerySet(WorkspaceScoped["TargetVersion"]):
    workspace_path = "target__workspace"

    def current(self) -> Self:
        """The version of each target that a run started now would use."""
        return self.filter(number=models.F("target__current_number"))


class TargetVersion(models.Model):
    """A spec, never changed; going back to an old spec goes back to its version."""

    id = PublicIdField("tgv")
    target = models.ForeignKey(Target, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    spec = models.TextField()
    spec_sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = TargetVersionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["target", "number"], name="one_target_version_a_number"
            ),
            models.UniqueConstraint(
                fields=["target", "spec_sha256"], name="same_spec_same_target_version"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.target.name} v{self.number}"

    @property
    def parsed(self) -> TargetSpec:
        return parse_spec(self.spec)

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("A target's version never changes: add another.")
        super().save(*args, **kwargs)


class RateLimit(models.Model):
    """When the next call to a target may start, for all workers together."""

    target = models.OneToOneField(
        Target, models.CASCADE, primary_key=True, related_name="rate_limit"
    )
    next_free_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.target_id} free at {self.next_free_at:%H:%M:%S}"
