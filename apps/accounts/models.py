"""Who may see what: people, workspaces and what members did."""

from datetime import datetime
from typing import Any, NoReturn, Self, TypeVar

from django.apps import apps
from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models.functions import Now

from apps.fields import NameField, check_name

from .permissions import Permission, Role, allows

Model = TypeVar("Model", bound=models.Model, covariant=True)
LONGEST_EMAIL = 254
_ROLES = [role.value for role in Role]


class User(AbstractUser):
    """A person; what they may do comes from their memberships alone."""

    @property
    def label(self) -> str:
        return self.get_full_name() or self.get_username()

    @property
    def initials(self) -> str:
        return "".join(word[0] for word in self.label.split()[:2]).upper()

    def clean(self) -> None:
        super().clean()
        for name in (self.first_name, self.last_name):
            check_name(name)


class WorkspaceQuerySet(models.QuerySet["Workspace"]):
    def visible_to(self, user: User | AnonymousUser) -> Self:
        """The workspaces this person is a member of: superusers are no exception."""
        if not isinstance(user, User) or not user.is_active:
            return self.none()
        return self.filter(memberships__user=user)


class Workspace(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    name = NameField(max_length=120)
    redacts_personal_data = models.BooleanField(default=False)
    archived_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = WorkspaceQuerySet.as_manager()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class WorkspaceScoped(models.QuerySet[Model]):
    """The base of every root object's queryset; `workspace_path` leads to its workspace."""

    workspace_path = "workspace"

    def visible_to(self, user: User | AnonymousUser) -> Self:
        visible = Workspace.objects.visible_to(user)
        return self.filter(**{f"{self.workspace_path}__in": visible.values("pk")})


class MembershipQuerySet(models.QuerySet["Membership"]):
    def of(self, user: User | AnonymousUser, slug: str) -> "Membership | None":
        """How this person belongs to the workspace, if it is one that they see."""
        visible = Workspace.objects.visible_to(user).filter(slug=slug)
        mine = self.filter(workspace__in=visible, user_id=user.pk)
        return mine.select_related("workspace", "user").first()


class Membership(models.Model):
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=[(r.value, r.title()) for r in Role])
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user"], name="one_membership_each"),
            models.CheckConstraint(condition=models.Q(role__in=_ROLES), name="known_role"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.workspace}: {self.role}"

    def allows(self, permission: Permission) -> bool:
        return allows(self.role, permission)


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def visible_to(self, user: User | AnonymousUser) -> Self:
        """Their own, and everybody's in the workspaces that they administer."""
        if not isinstance(user, User) or not user.is_active:
            return self.none()
        mine = Membership.objects.filter(user=user)
        administered = mine.filter(role=Role.ADMIN).values("workspace")
        return self.filter(
            models.Q(user=user, workspace__in=mine.values("workspace"))
            | models.Q(workspace__in=administered)
        )

    def usable(self, now: datetime) -> Self:
        return self.filter(revoked_at=None, expires_at__gt=now, user__is_active=True)


class ApiToken(models.Model):
    """A key for scripts; only the hash of its text is kept."""

    user = models.ForeignKey(User, models.PROTECT, related_name="api_tokens")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="api_tokens")
    name = NameField(max_length=80)
    prefix = models.CharField(max_length=16, editable=False)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        verbose_name = "API token"
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    def state(self, now: datetime) -> str:
        if self.revoked_at:
            return "revoked"
        return "active" if self.expires_at > now else "expired"


class InvitationQuerySet(WorkspaceScoped["Invitation"]):
    def unanswered(self) -> Self:
        return self.filter(accepted_at=None, revoked_at=None)

    def open(self, now: datetime) -> Self:
        return self.unanswered().filter(expires_at__gt=now)


class Invitation(models.Model):
    """A link by which one person may join a workspace, once."""

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=10, choices=[(r.value, r.title()) for r in Role])
    digest = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(User, models.PROTECT, related_name="invitations_sent")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, editable=False)
    accepted_by = models.ForeignKey(
        User, models.PROTECT, null=True, editable=False, related_name="invitations_accepted"
    )
    revoked_at = models.DateTimeField(null=True, editable=False)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "email"],
                condition=models.Q(accepted_at=None, revoked_at=None),
                name="one_unanswered_invitation_each",
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=_ROLES), name="known_invitation_role"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} as {self.role}"


class AuditEventQuerySet(WorkspaceScoped["AuditEvent"]):
    def update(self, **kwargs: Any) -> NoReturn:
        raise TypeError("The audit log is append-only.")

    def delete(self) -> NoReturn:
        raise TypeError("The audit log is append-only.")


class AuditEvent(models.Model):
    """Who changed what, when and by which door; written once, never changed."""

    class Via(models.TextChoices):
        PAGE = "page"
        API = "api"
        COMMAND = "command"
        ADMIN = "admin"
        WORKER = "worker"

    workspace = models.ForeignKey(Workspace, models.PROTECT, null=True, related_name="audit_events")
    actor = models.ForeignKey(User, models.PROTECT, null=True, related_name="audit_events")
    actor_label = models.CharField(max_length=200, help_text="what the actor was called then")
    via = models.CharField(max_length=10, choices=Via)
    verb = models.CharField(max_length=60)
    object_type = models.CharField(max_length=100)
    object_id = models.CharField(max_length=64)
    object_label = models.CharField(max_length=200)
    changes = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    request_id = models.CharField(max_length=64, blank=True)
    at = models.DateTimeField(db_default=Now())

    objects = AuditEventQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["workspace", "-id"], name="audit_by_workspace"),
            models.Index(fields=["object_type", "object_id", "-id"], name="audit_by_object"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_label} {self.verb} {self.object_label}"

    @property
    def kind(self) -> str:
        """The object's type in the user's words."""
        try:
            return str(apps.get_model(self.object_type)._meta.verbose_name)
        except LookupError:
            return self.object_type

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("The audit log is append-only.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("The audit log is append-only.")
