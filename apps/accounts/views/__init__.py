"""The pages of people, members, tokens and the audit log."""

from .audit import audit
from .invitations import invitation
from .members import change_member_role, members, remove, revoke_member_invitation
from .personal import home, profile
from .sign_in import (
    ChangePassword,
    ChooseNewPassword,
    ForgotPassword,
    SignIn,
    SignOut,
    locked_out,
    password_chosen,
    password_mailed,
)
from .tokens import revoke, tokens

__all__ = [
    "ChangePassword",
    "ChooseNewPassword",
    "ForgotPassword",
    "SignIn",
    "SignOut",
    "audit",
    "change_member_role",
    "home",
    "invitation",
    "locked_out",
    "members",
    "password_chosen",
    "password_mailed",
    "profile",
    "remove",
    "revoke",
    "revoke_member_invitation",
    "tokens",
]
