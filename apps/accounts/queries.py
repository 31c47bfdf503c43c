"""What the pages about people read."""

from datetime import datetime

from django.db.models import QuerySet

from apps.contract import Contract

from .models import ApiToken, AuditEvent, Invitation, Membership, User, Workspace
from .permissions import Permission, Role, allows


class PermissionRow(Contract):
    """A line of the permissions table: may a reviewer, a lead, an admin?"""

    label: str
    allowed: tuple[bool, ...]


class AuditFilter(Contract):
    """Empty means any; `kind` is an object's type as stored, `runs.run`."""

    actor: str = ""
    verb: str = ""
    kind: str = ""
    object_id: str = ""


def permissions_table() -> list[PermissionRow]:
    return [
        PermissionRow(label=p.label, allowed=tuple(allows(role, p) for role in Role))
        for p in Permission
    ]


def members(workspace: Workspace) -> QuerySet[Membership]:
    return workspace.memberships.select_related("user").order_by("user__username")


def open_invitations(workspace: Workspace, now: datetime) -> QuerySet[Invitation]:
    return workspace.invitations.open(now).select_related("invited_by")


def tokens(workspace: Workspace, user: User) -> QuerySet[ApiToken]:
    return ApiToken.objects.visible_to(user).filter(workspace=workspace).select_related("user")


def audit_events(workspace: Workspace, wanted: AuditFilter) -> QuerySet[AuditEvent]:
    columns = {
        "actor_label": wanted.actor,
        "verb": wanted.verb,
        "object_type": wanted.kind,
        "object_id": wanted.object_id,
    }
    given = {column: value for column, value in columns.items() if value}
    return workspace.audit_events.filter(**given)


def audit_choices(workspace: Workspace, column: str) -> list[str]:
    """Every value that the column has in this workspace, for a filter's menu."""
    values = workspace.audit_events.order_by(column).values_list(column, flat=True)
    return [value for value in values.distinct() if value]


def workspace_to_open(user: User, last_slug: str) -> Workspace | None:
    """Where somebody goes after signing in: where they were, else the first they may see."""
    visible = Workspace.objects.visible_to(user).filter(archived_at=None)
    return visible.filter(slug=last_slug).first() or visible.first()


def kind_label(kind: str) -> str:
    """An object's type in the user's words."""
    return AuditEvent(object_type=kind).kind
