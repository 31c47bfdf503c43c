"""What changes people, workspaces and access; every change leaves an audit event."""

from .audit import record
from .invitations import (
    accept_as_new_person,
    accept_invitation,
    invite,
    mail_invitation,
    revoke_invitation,
)
from .members import change_role, remove_member
from .people import create_person, update_profile
from .tokens import create_token, revoke_token
from .workspaces import create_workspace

__all__ = [
    "accept_as_new_person",
    "accept_invitation",
    "change_role",
    "create_person",
    "create_token",
    "create_workspace",
    "invite",
    "mail_invitation",
    "record",
    "remove_member",
    "revoke_invitation",
    "revoke_token",
    "update_profile",
]
