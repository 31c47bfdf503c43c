"""`evalhub token create --user NAME`, `token list`, `token revoke ID`."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from apps.accounts import services
from apps.accounts.commands import chosen_workspace, person
from apps.accounts.models import ApiToken


class Command(BaseCommand):
    help = "Make, list and revoke API tokens."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        create = actions.add_parser("create", help="make a token and show it once")
        create.add_argument("--user", required=True, help="user name of its owner")
        create.add_argument("--workspace", help="its slug; needless if the person has only one")
        create.add_argument("--name", default="command line", help="what it is for")
        create.add_argument("--days", type=int, default=90, help="expires after (90)")
        create.add_argument("--json", action="store_true", dest="as_json")
        listing = actions.add_parser("list", help="show the tokens, never their text")
        listing.add_argument("--user", help="only this person's")
        listing.add_argument("--json", action="store_true", dest="as_json")
        revoke = actions.add_parser("revoke", help="stop a token at once")
        revoke.add_argument("id", type=int, help="its number in `token list`")

    def handle(self, *, action: str, **options: Any) -> None:
        actions: dict[str, Callable[..., None]] = {
            "create": self._create,
            "list": self._list,
            "revoke": self._revoke,
        }
        actions[action](**options)

    def _create(
        self, *, user: str, workspace: str | None, name: str, days: int, as_json: bool, **_: Any
    ) -> None:
        owner = person(user)
        try:
            made = services.create_token(
                user=owner,
                workspace=chosen_workspace(workspace, owner),
                name=name,
                lifetime=timedelta(days=days),
                now=timezone.now(),
                actor=None,
                via="command",
            )
        except ValidationError as error:
            raise CommandError(error.messages[0]) from None
        if as_json:
            self._print_json({**_facts(made.token), "token": made.plaintext})
            return
        self.stderr.write(f"Expires {made.token.expires_at:%Y-%m-%d}; it is not shown again.")
        self.stdout.write(made.plaintext)

    def _list(self, *, user: str | None, as_json: bool, **_: Any) -> None:
        tokens = ApiToken.objects.select_related("user", "workspace")
        found = [_facts(t) for t in (tokens.filter(user=person(user)) if user else tokens)]
        if as_json:
            self._print_json(found)
            return
        for facts in found:
            self.stdout.write(
                "{id:>5}  {prefix}…  {state:8}  {user} in {workspace}  {name}".format(**facts)
            )

    def _revoke(self, *, id: int, **_: Any) -> None:  # noqa: A002 - the argument's name
        token = ApiToken.objects.select_related("workspace").filter(pk=id).first()
        if token is None:
            raise CommandError(f"There is no token {id}: see `evalhub token list`.")
        services.revoke_token(token=token, actor=None, now=timezone.now(), via="command")
        self.stdout.write(f"Revoked {token}.")

    def _print_json(self, facts: object) -> None:
        self.stdout.write(json.dumps(facts, indent=2))


def _facts(token: ApiToken) -> dict[str, Any]:
    return {
        "id": token.pk,
        "name": token.name,
        "prefix": token.prefix,
        "user": token.user.get_username(),
        "workspace": token.workspace.slug,
        "state": token.state(timezone.now()),
        "expires_at": token.expires_at.isoformat(),
        "last_used_at": token.last_used_at.isoformat() if token.last_used_at else None,
    }
