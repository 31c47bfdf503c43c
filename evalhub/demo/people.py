"""Who can sign in to the example: made once, with passwords that only this data directory knows."""

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import User, Workspace
from apps.accounts.permissions import Role

SLUG = "demo"
READABLE = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that look alike."""

NOT_ALONE = (
    "There are people here already, so this is no place for example data. "
    "Choose a directory of its own with --data-dir DIR."
)


class Part(NamedTuple):
    name: str
    full_name: str
    role: Role
    may: str


CAST = (
    Part("ada", "Ada Byron", Role.ADMIN, "admin: targets, members, and all of /admin/"),
    Part("alice", "Alice Moreau", Role.LEAD, "lead: uploads datasets, starts runs"),
    Part("bob", "Bob Okafor", Role.REVIEWER, "reviewer: reads and reviews"),
)


@dataclass(frozen=True, slots=True)
class SignIn:
    """How somebody signed in at first; None where this directory did not make the password."""

    name: str
    password: str | None
    may: str


def workspace_with_people(data_dir: Path) -> Workspace:
    """The workspace of the example, made where there is none; ValidationError among real people."""
    standing = Workspace.objects.filter(slug=SLUG, memberships__user__username=CAST[0].name)
    if found := standing.first():
        return found
    if User.objects.exists() or Workspace.objects.exists():
        raise ValidationError(NOT_ALONE)
    return _make(_kept_passwords(data_dir) or _new_passwords(data_dir))


def sign_ins(data_dir: Path) -> list[SignIn]:
    """Everybody of the cast, with the passwords that were made for them."""
    kept = _kept_passwords(data_dir)
    return [SignIn(part.name, kept.get(part.name), part.may) for part in CAST]


@transaction.atomic
def _make(passwords: dict[str, str]) -> Workspace:
    first, *others = CAST
    admin = _create(first, passwords, None)
    workspace = services.create_workspace(
        name="Demo", slug=SLUG, admin=admin, now=timezone.now(), actor=None, via="command"
    )
    for part in others:
        _create(part, passwords, workspace)
    return workspace


def _create(part: Part, passwords: dict[str, str], workspace: Workspace | None) -> User:
    return services.create_person(
        username=part.name,
        password=passwords[part.name],
        email=f"{part.name}@example.org",
        full_name=part.full_name,
        is_superuser=workspace is None,
        workspace=workspace,
        role=part.role,
        actor=None,
        via="command",
    )


def _file(data_dir: Path) -> Path:
    return data_dir / "demo-sign-ins.json"


def _kept_passwords(data_dir: Path) -> dict[str, str]:
    file = _file(data_dir)
    found: dict[str, str] = json.loads(file.read_text()) if file.is_file() else {}
    return found


def _new_passwords(data_dir: Path) -> dict[str, str]:
    """Kept before anybody is made, and readable for whoever runs the program alone."""
    passwords = {part.name: _new_password() for part in CAST}
    handle = os.open(_file(data_dir), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        json.dump(passwords, file, indent=2)
    return passwords


def _new_password() -> str:
    return "-".join("".join(secrets.choice(READABLE) for _ in range(4)) for _ in range(3))
