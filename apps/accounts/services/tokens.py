"""API tokens: made once, shown once, revoked for good."""

from datetime import datetime, timedelta
from typing import NamedTuple, Unpack

from django.core.exceptions import ValidationError
from django.db import transaction

from apps.accounts.keys import digest_of, new_secret, shown_part
from apps.accounts.models import ApiToken, Membership, User, Workspace
from apps.fields import check_name

from .audit import Door, record

LONGEST = timedelta(days=365)


class NewToken(NamedTuple):
    token: ApiToken
    plaintext: str


@transaction.atomic
def create_token(
    *,
    user: User,
    workspace: Workspace,
    name: str,
    lifetime: timedelta,
    now: datetime,
    actor: User | None,
    **door: Unpack[Door],
) -> NewToken:
    """A token with the rights of its user in one workspace; the text is never shown again."""
    if not Membership.objects.filter(user=user, workspace=workspace).exists():
        raise ValidationError(f"{user.label} is not a member of {workspace}.")
    if not timedelta(0) < lifetime <= LONGEST:
        raise ValidationError(f"A token lasts between 1 and {LONGEST.days} days.")
    check_name(name)
    plaintext = new_secret("evh_")
    token = ApiToken.objects.create(
        user=user,
        workspace=workspace,
        name=name,
        prefix=shown_part(plaintext),
        digest=digest_of(plaintext),
        expires_at=now + lifetime,
    )
    changes = {"expires_at": [None, token.expires_at]}
    record(
        workspace=workspace,
        actor=actor,
        verb="created",
        obj=token,
        changes=changes,
        **door,
    )
    return NewToken(token, plaintext)


@transaction.atomic
def revoke_token(
    *, token: ApiToken, actor: User | None, now: datetime, **door: Unpack[Door]
) -> None:
    """Stop the token at once; doing it twice changes nothing."""
    revoked = ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now)
    if revoked:
        record(workspace=token.workspace, actor=actor, verb="revoked", obj=token, **door)
