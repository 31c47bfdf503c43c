"""Members and the accounts that are made and kept for them in Argilla: who may enter what."""

import re
import secrets
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import datetime
from itertools import count
from typing import Unpack

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, QuerySet

from apps.accounts.models import User, Workspace
from apps.accounts.permissions import ROLES_ALLOWED, Permission
from apps.accounts.services import record as audit
from apps.accounts.services.audit import Door
from apps.labeling.desk.protocol import Desk, DeskDown, DeskRefused
from apps.labeling.models import Assignment, Campaign, DeskAccount

LONGEST = 100
ASKING = (Campaign.State.PREPARING, Campaign.State.OPEN)
NOT_OURS = (
    "Argilla had an account called {} before EvalHub: sign in there as you always do. Whoever "
    "runs that server can give it a new password."
)
NO_DESK = "People label nowhere here: EVALHUB_ARGILLA_MODE is off."
HANDED_OVER = "This account has been handed over already: make a new password if it is lost."


def let_in(campaign: Campaign, desk: Desk) -> None:
    """Exactly its people, each with an account; nobody once it no longer asks.

    DeskDown and DeskRefused rise; whatever was done until then stays done.
    """
    accounts = [account_of(user, desk) for user in members_of(campaign)]
    desk.let_in(campaign.desk_name, [account.argilla_id for account in accounts])


def shut_out(campaign: Campaign, desk: Desk) -> None:
    """Those who have left since; makes no account."""
    accounts = DeskAccount.objects.filter(user__in=members_of(campaign)).order_by("pk")
    desk.let_in(campaign.desk_name, list(accounts.values_list("argilla_id", flat=True)))


def names_of(annotators: Collection[str], campaign: Campaign) -> dict[str, str]:
    """What they are called here, by the name of their labels; names in files stay as they are."""
    if campaign.kind != Campaign.Kind.DESK:
        return {}
    accounts = DeskAccount.objects.filter(username__in=annotators).select_related("user")
    return {each.username: each.user.label for each in accounts}


def keep_names(campaign: Campaign, desk: Desk) -> None:
    """Whoever is called otherwise here by now is so there, in an account that we made.

    Nothing rises: a name holds up no answer.
    """
    ours = DeskAccount.objects.filter(user__in=members_of(campaign), made_here=True)
    accounts = list(ours.select_related("user").order_by("user"))
    if not accounts:
        return
    with suppress(DeskRefused, DeskDown):
        there = desk.people()
        for account in accounts:
            if account.argilla_id in there:
                _keep_name(account, desk)


def _keep_name(account: DeskAccount, desk: Desk) -> None:
    with suppress(DeskRefused):  # the others' may be changed all the same
        desk.person(account.username, account.user.label, account.argilla_id)


def members_of(campaign: Campaign) -> QuerySet[User]:
    """Who labels in it now; nobody once it no longer asks."""
    if campaign.state not in ASKING or campaign.archived_at:
        return User.objects.none()
    return able_in(campaign)


def able_in(campaign: Campaign) -> QuerySet[User]:
    """Those of its people who can label, whether it asks or not."""
    users = able().filter(campaign=campaign).values("user")
    return User.objects.filter(pk__in=users).order_by("pk")


def able() -> QuerySet[Assignment]:
    """Of whoever is still active, and still a member who may label."""
    return Assignment.objects.filter(
        user__is_active=True,
        user__memberships__workspace=F("campaign__workspace"),
        user__memberships__role__in=ROLES_ALLOWED[Permission.LABEL_ANSWERS],
        campaign__workspace__archived_at=None,
    )


def known_account(user: User) -> DeskAccount | None:
    return DeskAccount.objects.filter(user=user).first()


def account_of(user: User, desk: Desk) -> DeskAccount:
    """Their account; `username` stays what it was called first, as their labels are by it.

    A server of our own has nobody but ours: who is called like its owner gets another name. On
    any other server a name that was there before us is that person's.
    """
    known = known_account(user)
    for username in _usernames(user, known):
        person = desk.person(username, user.label, known.argilla_id if known else "")
        if person.made or settings.ARGILLA.mode == "hosted":
            break
    with transaction.atomic():
        account = DeskAccount.objects.select_for_update().filter(user=user).first()
        account = account or DeskAccount(user=user, username=person.username)
        if account.argilla_id != person.id:
            account.handed_over_at = None
        account.argilla_id, account.made_here = person.id, person.made
        account.save()
    return account


def hand_over(
    account: DeskAccount,
    desk: Desk,
    *,
    again: bool,
    workspace: Workspace,
    now: datetime,
    **door: Unpack[Door],
) -> str:
    """A new password, told this once and kept nowhere; `again` where the first one is lost.

    Who is killed in the middle has handed over nothing: the person makes a new one.
    """
    if not account.made_here:
        raise ValidationError(NOT_OURS.format(account.username))
    before, rows = account.handed_over_at, DeskAccount.objects.filter(pk=account.pk)
    allowed = again or before is None
    if not allowed or not rows.filter(handed_over_at=before).update(handed_over_at=now):
        raise ValidationError(HANDED_OVER)
    password = secrets.token_urlsafe(12)
    try:
        desk.set_password(account.argilla_id, password)
    except (DeskDown, DeskRefused):
        rows.filter(handed_over_at=now).update(handed_over_at=before)
        raise
    verb = "desk.password_renewed" if before else "desk.handed_over"
    audit(workspace=workspace, actor=account.user, verb=verb, obj=account, **door)
    return password


def _usernames(user: User, known: DeskAccount | None) -> Iterator[str]:
    """What they may be called there, the best first; no name of another member's account."""
    if known:
        yield known.username
    plain = fitted(user.get_username())
    for number in count(1):
        name = plain if number == 1 else f"{plain}-{number}"
        if not DeskAccount.objects.filter(username=name).exclude(user=user).exists():
            yield name


def fitted(username: str) -> str:
    """A name that can be typed on any keyboard and stand in any file."""
    plain = unicodedata.normalize("NFKD", username).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9._@+-]+", "-", plain).strip("-.")[:LONGEST] or "person"
