"""`evalhub contract list | import | export | check | rules`."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from apps.accounts.commands import REFUSED, chosen_workspace
from apps.accounts.models import Workspace
from apps.grading import queries, services
from apps.grading.catalog import families
from apps.grading.describing import in_words
from apps.grading.manual import manual
from apps.grading.models import ContractVersion, GradingContract
from apps.grading.reading.texts import MAX_CHARACTERS
from apps.grading.starters import STARTERS, starter_spec


class Command(BaseCommand):
    help = (
        "List, import, export and check grading contracts: what decides whether an answer is "
        "good. Exit status of check: 0 it is a contract, 2 it is none."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        listing = actions.add_parser("list", help="show the contracts that are not archived")
        add = actions.add_parser("import", help="add a contract, or change the one of this name")
        add.add_argument("file", nargs="?", help="YAML or JSON; - reads standard input")
        add.add_argument("--starter", choices=STARTERS, help="one that is ready, in place of FILE")
        add.add_argument("--name", default="", help="needed where the file names none")
        add.add_argument("--replace-draft", action="store_true", help="where one stands in the way")
        export = actions.add_parser("export", help="write a contract as YAML")
        export.add_argument("name")
        export.add_argument("file", nargs="?", help="where to; printed without it")
        export.add_argument("--number", type=int, help="the version; the latest without it")
        check = actions.add_parser("check", help="tell what a file says, without keeping it")
        check.add_argument("file", help="YAML or JSON; - reads standard input")
        rules = actions.add_parser("rules", help="show every type of rule")
        rules.add_argument("--write", metavar="FOLDER", help="write a page for each of them there")
        for action in (listing, add, export):
            action.add_argument("--workspace", help="its slug; needless where there is only one")
        for action in (listing, add, export, check, rules):
            action.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *, action: str, **options: Any) -> None:
        if action == "check":
            self._check(**options)
        elif action == "rules":
            self._rules(**options)
        else:
            self._in_workspace(action, **options)

    def _in_workspace(self, action: str, *, workspace: str | None, **options: Any) -> None:
        actions: dict[str, Callable[..., None]] = {
            "list": self._list,
            "import": self._import,
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

    def _import(
        self,
        workspace: Workspace,
        *,
        file: str | None,
        starter: str | None,
        name: str,
        replace_draft: bool,
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
                replace_draft=replace_draft,
                by=None,
                now=timezone.now(),
                via="command",
            )
        except ValidationError as error:
            self._refuse(error.messages, as_json=as_json)
        if as_json:
            self._print(_facts(version))
            return
        self.stdout.write(f"{version} is here: {version.pk}.")

    def _export(
        self,
        workspace: Workspace,
        *,
        name: str,
        file: str | None,
        number: int | None,
        as_json: bool,
        **_: Any,
    ) -> None:
        version = _version(_named(workspace, name), number)
        text = queries.export_yaml(version)
        if file is not None and file != "-":
            _write(Path(file), text)
        if as_json:
            self._print(_facts(version))
        elif file in (None, "-"):
            self.stdout.write(text, ending="")
        else:
            self.stdout.write(f"{version} is written to {file}.")

    def _check(self, *, file: str, as_json: bool, **_: Any) -> None:
        try:
            name, spec = services.parse_named(_text_of(file))
        except ValidationError as error:
            self._refuse(error.messages, as_json=as_json)
        if as_json:
            facts = {"valid": True, "problems": [], "name": name, "spec_sha256": spec.sha256}
            self._print({**facts, "spec": spec.model_dump(mode="json")})
            return
        for line in in_words(spec):
            self.stdout.write(line)

    def _rules(self, *, write: str | None, as_json: bool, **_: Any) -> None:
        if write is not None:
            for file, text in manual().items():
                _write(Path(write) / file, text)
            self.stdout.write(f"{len(manual())} pages are written to {write}.")
            return
        if as_json:
            self._print([family.model_dump() for family in families()])
            return
        for family in families():
            self.stdout.write(family.title)
            for rule in family.rules:
                self.stdout.write(f"  {rule.type:26}  {rule.summary}")

    def _print(self, facts: object) -> None:
        self.stdout.write(json.dumps(facts, indent=2, ensure_ascii=False))

    def _refuse(self, problems: list[str], *, as_json: bool) -> NoReturn:
        """Every problem, a line each; as JSON where that is asked for."""
        if not as_json:
            raise CommandError("\n".join(problems), returncode=REFUSED)
        self._print({"valid": False, "problems": problems})
        sys.exit(REFUSED)


def _text_of(file: str) -> str:
    """Not more than a contract may have, whatever the file is."""
    try:
        if file == "-":
            return sys.stdin.read(MAX_CHARACTERS + 1)
        with Path(file).open(encoding="utf-8-sig") as stream:
            return stream.read(MAX_CHARACTERS + 1)
    except OSError as error:
        raise ValidationError(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ValidationError(f"{file} is not text in UTF-8.") from None


def _text_of_starter(starter: Any) -> str:
    return starter_spec(starter).model_dump_json()


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(
            f"{file} cannot be written: {error.strerror}.", returncode=REFUSED
        ) from None


def _named(workspace: Workspace, name: str) -> GradingContract:
    contract = workspace.contracts.filter(name=name).first()
    if contract is None:
        raise CommandError(
            f"There is no contract “{name}” in {workspace}: see `evalhub contract list`.",
            returncode=REFUSED,
        )
    return contract


def _version(contract: GradingContract, number: int | None) -> ContractVersion:
    if number is None:
        return queries.latest_version(contract)
    found = contract.versions.select_related("contract").filter(number=number).first()
    if found is None:
        raise CommandError(f"{contract} has no version {number}.", returncode=REFUSED)
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
