"""Members of a workspace: their roles, and that one admin always stays."""

from datetime import datetime
from typing import Unpack

from django.core.exceptions import ValidationError
from django.db import transaction

from apps.accounts.models import ApiToken, Membership, User, Workspace
from apps.accounts.permissions import Role

from .audit import Door, record


@transaction.atomic
def change_role(
    *, membership: Membership, role: Role, actor: User | None, **door: Unpack[Door]
) -> Membership:
    member = _locked(membership)
    before = member.role
    if before == role:
        return member
    if before == Role.ADMIN:
        _keep_an_admin(member)
    member.role = role
    member.save(update_fields=["role"])
    changes = {"role": [before, role]}
    record(
        workspace=member.workspace,
        actor=actor,
        verb="changed role of",
        obj=member.user,
        changes=changes,
        **door,
    )
    return member


@transaction.atomic
def remove_member(
    *, membership: Membership, actor: User | None, now: datetime, **door: Unpack[Door]
) -> None:
    """Take access away, tokens of this workspace included; what the person did stays."""
    member = _locked(membership)
    if member.role == Role.ADMIN:
        _keep_an_admin(member)
    tokens = ApiToken.objects.filter(user=member.user, workspace=member.workspace)
    revoked = tokens.filter(revoked_at=None).update(revoked_at=now)
    member.delete()
    changes = {"role": [member.role, None], "tokens_revoked": [0, revoked]}
    record(
        workspace=member.workspace,
        actor=actor,
        verb="removed",
        obj=member.user,
        changes=changes,
        **door,
    )


def _locked(membership: Membership) -> Membership:
    """The present row, with its workspace locked: two admins cannot demote each other at once."""
    Workspace.objects.select_for_update().get(pk=membership.workspace_id)
    present = Membership.objects.select_related("user", "workspace").filter(pk=membership.pk)
    member = present.first()
    if member is None:
        raise ValidationError("This person is not a member any more.")
    return member


def _keep_an_admin(leaving: Membership) -> None:
    admins = Membership.objects.filter(
        workspace=leaving.workspace, role=Role.ADMIN, user__is_active=True
    )
    if not admins.exclude(pk=leaving.pk).exists():
        raise ValidationError(
            f"{leaving.user.label} is the last admin of {leaving.workspace}: "
            "make somebody else an admin first."
        )
