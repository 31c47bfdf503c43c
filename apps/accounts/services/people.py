"""People: made by an invitation or by a command; what they say of themselves."""

from collections.abc import Mapping
from typing import Unpack

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from apps.accounts.models import Membership, User, Workspace
from apps.accounts.permissions import Role
from apps.fields import check_name

from .audit import Door, record

PROFILE = ("first_name", "last_name", "email")


@transaction.atomic
def create_person(
    *,
    username: str,
    password: str,
    email: str = "",
    full_name: str = "",
    is_superuser: bool = False,
    workspace: Workspace | None = None,
    role: Role = Role.REVIEWER,
    actor: User | None,
    **door: Unpack[Door],
) -> User:
    """A person who can sign in, member of the workspace if one is given."""
    user = new_person(username=username, password=password, email=email, full_name=full_name)
    if is_superuser:
        user.is_staff = user.is_superuser = True
        user.save(update_fields=["is_staff", "is_superuser"])
    record(workspace=workspace, actor=actor, verb="created", obj=user, **door)
    if workspace:
        join(workspace=workspace, user=user, role=role, actor=actor, **door)
    return user


def new_person(*, username: str, password: str, email: str, full_name: str) -> User:
    first, _, last = full_name.strip().partition(" ")
    user = User(username=username, email=email, first_name=first, last_name=last)
    user.full_clean(exclude=["password"])
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise ValidationError({"password": error.messages}) from None
    user.set_password(password)
    user.save()
    return user


def join(
    *, workspace: Workspace, user: User, role: Role, actor: User | None, **door: Unpack[Door]
) -> Membership:
    member, joined = Membership.objects.get_or_create(
        workspace=workspace, user=user, defaults={"role": role}
    )
    if not joined:
        raise ValidationError(f"{user.label} is a member of {workspace} already.")
    changes = {"role": [None, role]}
    record(workspace=workspace, actor=actor, verb="added", obj=user, changes=changes, **door)
    return member


@transaction.atomic
def update_profile(*, user: User, values: Mapping[str, str], **door: Unpack[Door]) -> None:
    """`values` says {field: text} for the fields of `PROFILE`."""
    for name in ("first_name", "last_name"):
        check_name(values.get(name, ""))
    present = User.objects.values(*PROFILE).get(pk=user.pk)
    changes = {
        f: [present[f], values[f]] for f in PROFILE if f in values and values[f] != present[f]
    }
    if not changes:
        return
    User.objects.filter(pk=user.pk).update(
        **{field: after for field, (_, after) in changes.items()}
    )
    record(workspace=None, actor=user, verb="changed", obj=user, changes=changes, **door)
