"""`evalhub user create NAME --role R`, `user list`: the first person is everybody's admin."""

import os
import secrets
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from apps.accounts import services
from apps.accounts.commands import chosen_workspace
from apps.accounts.models import Membership, User, Workspace
from apps.accounts.permissions import Role


class Command(BaseCommand):
    help = "Make people who can sign in; the first one gets a workspace and the administration."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        create = actions.add_parser("create", help="make a person, member of a workspace")
        create.add_argument("name", help="user name to sign in with")
        create.add_argument("--role", required=True, choices=[role.value for role in Role])
        create.add_argument("--workspace", help="its slug; needless if there is only one")
        create.add_argument("--email", default="")
        create.add_argument("--full-name", default="")
        create.add_argument(
            "--password-env",
            metavar="VAR",
            help="environment variable with the password; made and shown once when absent",
        )
        actions.add_parser("list", help="show people with their workspaces and roles")

    def handle(self, *, action: str, **options: Any) -> None:
        {"create": self._create, "list": self._list}[action](**options)

    def _create(self, *, name: str, password_env: str | None, **options: Any) -> None:
        password = _password(password_env)
        try:
            user = _create(name=name, password=password, **options)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        self.stdout.write(f"{user.get_username()} can sign in.")
        if not password_env:
            self.stdout.write(f"Password: {password} (it is not shown again)")

    def _list(self, **_: Any) -> None:
        memberships = Membership.objects.select_related("user", "workspace")
        for member in memberships.order_by("user__username", "workspace__slug"):
            self.stdout.write(
                f"{member.user.get_username()}  {member.workspace.slug}  {member.role}"
            )


@transaction.atomic
def _create(
    *,
    name: str,
    password: str,
    role: str,
    workspace: str | None,
    email: str,
    full_name: str,
    **_: Any,
) -> User:
    is_first = not Workspace.objects.exists()
    if is_first and role != Role.ADMIN:
        raise CommandError("There is no workspace yet: make its admin first, with --role admin.")
    user = services.create_person(
        username=name,
        password=password,
        email=email,
        full_name=full_name,
        is_superuser=is_first,
        workspace=None if is_first else chosen_workspace(workspace),
        role=Role(role),
        actor=None,
        via="command",
    )
    if is_first:
        services.create_workspace(
            name=workspace or "main", admin=user, now=timezone.now(), actor=None, via="command"
        )
    return user


def _password(variable: str | None) -> str:
    if variable is None:
        return secrets.token_urlsafe(12)
    password = os.environ.get(variable, "")
    if not password:
        raise CommandError(f"The environment variable {variable} is empty.")
    return password
