"""`evalhub contract add FILE`, `contract add --starter S`, `contract list`, `contract export`."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from apps.accounts.commands import chosen_workspace
from apps.accounts.models import Workspace
from apps.grading import queries, services
from apps.grading.documents import MAX_CHARACTERS
from apps.grading.models import ContractVersion, GradingContract
from apps.grading.starters import STARTERS, starter_spec


class Command(BaseCommand):
    help = "Add, list and export grading contracts: what decides whether an answer is good."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        listing = actions.add_parser("list", help="show the contracts that are not archived")
        add = actions.add_parser("add", help="add a contract, or change the one of this name")
        add.add_argument("file", nargs="?", help="YAML or JSON; - reads standard input")
        add.add_argument("--starter", choices=STARTERS, help="one that is ready, in place of FILE")
        add.add_argument("--name", default="", help="needed where the file names none")
        export = actions.add_parser("export", help="print a contract as YAML")
        export.add_argument("name")
        export.add_argument("--number", type=int, help="the version; the latest without it")
        for action in (listing, add, export):
            action.add_argument("--workspace", help="its slug; needless where there is only one")
            action.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *, action: str, workspace: str | None, **options: Any) -> None:
        actions: dict[str, Callable[..., None]] = {
            "list": self._list,
            "add": self._add,
            "export": self._export,
        }
        actions[action](chosen_workspace(workspace), **options)

    def _list(self, workspace: Workspace, *, as_json: bool, **_: Any) -> None:
        versions = list(queries.latest_versions(workspace))
        if as_json:
            self._print([_facts(version) for version in versions])
            return
        for version in versions:
            state = "locked" if version.locked_at else "draft"
            rules = ", ".join(rule.name for rule in version.parsed.rules)
            self.stdout.write(f"{version!s:30}  {state:6}  {rules}")

    def _add(
        self,
        workspace: Workspace,
        *,
        file: str | None,
        starter: str | None,
        name: str,
        as_json: bool,
        **_: Any,
    ) -> None:
        if (file is None) == (starter is None):
            raise CommandError("Name a file, or a starter with --starter: one of the two.")
        try:
            text = _text_of(file) if file else _text_of_starter(starter)
            version = services.import_contract(
                workspace=workspace,
                text=text,
                name=name or starter or "",
                by=None,
                now=timezone.now(),
                via="command",
            )
        except ValidationError as error:
            raise CommandError("\n".join(error.messages)) from None
        if as_json:
            self._print(_facts(version))
            return
        self.stdout.write(f"{version} is here: {version.pk}.")

    def _export(
        self, workspace: Workspace, *, name: str, number: int | None, as_json: bool, **_: Any
    ) -> None:
        version = _version(_named(workspace, name), number)
        if as_json:
            self._print(_facts(version))
            return
        self.stdout.write(queries.export_yaml(version), ending="")

    def _print(self, facts: object) -> None:
        self.stdout.write(json.dumps(facts, indent=2, ensure_ascii=False))


def _text_of(file: str) -> str:
    """Not more than a contract may have, whatever the file is."""
    try:
        if file == "-":
            return sys.stdin.read(MAX_CHARACTERS + 1)
        with Path(file).open(encoding="utf-8-sig") as stream:
            return stream.read(MAX_CHARACTERS + 1)
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise CommandError(f"{file} is not text in UTF-8.") from None


def _text_of_starter(starter: Any) -> str:
    return starter_spec(starter).model_dump_json()


def _named(workspace: Workspace, name: str) -> GradingContract:
    contract = workspace.contracts.filter(name=name).first()
    if contract is None:
        raise CommandError(
            f"There is no contract “{name}” in {workspace}: see `evalhub contract list`."
        )
    return contract


def _version(contract: GradingContract, number: int | None) -> ContractVersion:
    if number is None:
        return queries.latest_version(contract)
    found = contract.versions.select_related("contract").filter(number=number).first()
    if found is None:
        raise CommandError(f"{contract} has no version {number}.")
    return found


def _facts(version: ContractVersion) -> dict[str, Any]:
    return {
        "id": version.contract_id,
        "name": version.contract.name,
        "version": version.number,
        "version_id": version.pk,
        "locked": version.locked_at is not None,
        "spec_sha256": version.spec_sha256,
        "spec": version.parsed.model_dump(mode="json"),
    }
