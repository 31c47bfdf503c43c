"""Workspaces: where everything of a team is."""

from datetime import datetime
from typing import Unpack

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.text import slugify

from apps.accounts.models import Membership, User, Workspace
from apps.accounts.permissions import Role

from .audit import Door, record


@transaction.atomic
def create_workspace(
    *,
    name: str,
    admin: User,
    now: datetime,
    slug: str = "",
    actor: User | None,
    **door: Unpack[Door],
) -> Workspace:
    """A workspace with its first admin."""
    chosen = slug or slugify(name)
    if not chosen:
        raise ValidationError("Give the workspace a name with at least one letter or digit.")
    if Workspace.objects.filter(slug=chosen).exists():
        raise ValidationError(f"There is a workspace “{chosen}” already: choose another name.")
    workspace = Workspace(name=name, slug=chosen, created_at=now)
    workspace.full_clean()
    workspace.save()
    Membership.objects.create(workspace=workspace, user=admin, role=Role.ADMIN, created_at=now)
    changes = {"admin": [None, admin.get_username()]}
    record(
        workspace=workspace,
        actor=actor,
        verb="created",
        obj=workspace,
        changes=changes,
        **door,
    )
    return workspace
