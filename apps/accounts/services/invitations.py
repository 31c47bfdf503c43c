"""Invitations by link: the link is the key, used once, by whoever it was sent to."""

import logging
from datetime import datetime, timedelta
from smtplib import SMTPException
from typing import NamedTuple, Unpack

from django.core.exceptions import ValidationError
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string

from apps.accounts import mail
from apps.accounts.keys import digest_of, new_secret
from apps.accounts.models import Invitation, Membership, User, Workspace
from apps.accounts.permissions import Role

from .audit import Door, record
from .people import join, new_person

logger = logging.getLogger(__name__)
LASTS = timedelta(days=7)
USED_UP = (
    "This invitation has been used, revoked or has expired: ask whoever invited you for a new one."
)


class NewInvitation(NamedTuple):
    invitation: Invitation
    secret: str


@transaction.atomic
def invite(
    *,
    workspace: Workspace,
    email: str,
    role: Role,
    invited_by: User,
    now: datetime,
    **door: Unpack[Door],
) -> NewInvitation:
    """A link for this address; an earlier unanswered one to the same address ends."""
    address = email.strip().lower()
    _check_address(address)
    if Membership.objects.filter(workspace=workspace, user__email__iexact=address).exists():
        raise ValidationError({"email": f"{address} is a member of {workspace} already."})
    Workspace.objects.select_for_update().get(pk=workspace.pk)  # one invitation at a time
    unanswered = Invitation.objects.filter(workspace=workspace, email=address).unanswered()
    unanswered.update(revoked_at=now)
    secret = new_secret()
    invitation = Invitation.objects.create(
        workspace=workspace,
        email=address,
        role=role,
        digest=digest_of(secret),
        invited_by=invited_by,
        expires_at=now + LASTS,
    )
    changes = {"role": [None, role]}
    record(
        workspace=workspace,
        actor=invited_by,
        verb="invited",
        obj=invitation,
        changes=changes,
        **door,
    )
    return NewInvitation(invitation, secret)


def mail_invitation(*, invitation: Invitation, link: str) -> bool:
    """Send the link; False without a mail server or where it refuses: the page shows the link."""
    if not mail.is_set_up():
        return False
    body = render_to_string(
        "accounts/invitation_mail.txt", {"invitation": invitation, "link": link}
    )
    subject = f"{invitation.invited_by.label} invites you to {invitation.workspace} on EvalHub"
    try:
        send_mail(" ".join(subject.split()), body, None, [invitation.email])
    except (OSError, SMTPException):
        logger.exception("The invitation to %s could not be mailed", invitation.workspace)
        return False
    return True


@transaction.atomic
def accept_invitation(
    *, invitation: Invitation, user: User, now: datetime, **door: Unpack[Door]
) -> Membership:
    """Join; of two people with the same link the first one does."""
    unanswered = Invitation.objects.filter(pk=invitation.pk).open(now)
    if not unanswered.update(accepted_at=now, accepted_by=user):
        raise ValidationError(USED_UP)
    return join(
        workspace=invitation.workspace,
        user=user,
        role=Role(invitation.role),
        actor=user,
        **door,
    )


@transaction.atomic
def accept_as_new_person(
    *,
    invitation: Invitation,
    username: str,
    password: str,
    full_name: str,
    now: datetime,
    **door: Unpack[Door],
) -> User:
    """Join and get an account, or neither."""
    user = new_person(
        username=username, password=password, email=invitation.email, full_name=full_name
    )
    record(workspace=invitation.workspace, actor=user, verb="created", obj=user, **door)
    accept_invitation(invitation=invitation, user=user, now=now, **door)
    return user


def _check_address(address: str) -> None:
    field = Invitation._meta.get_field("email")
    try:
        field.run_validators(address)
    except ValidationError as error:
        raise ValidationError({"email": error.messages}) from None


@transaction.atomic
def revoke_invitation(
    *, invitation: Invitation, actor: User, now: datetime, **door: Unpack[Door]
) -> None:
    revoked = Invitation.objects.filter(pk=invitation.pk).unanswered().update(revoked_at=now)
    if revoked:
        record(workspace=invitation.workspace, actor=actor, verb="revoked", obj=invitation, **door)
