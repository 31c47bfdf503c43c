"""`evalhub target add NAME --kind KIND …`, `target list`, `target test NAME`."""

import json
from collections.abc import Callable
from typing import Any

import pydantic
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.accounts.commands import chosen_workspace
from apps.accounts.models import Workspace
from apps.targets import queries, services
from apps.targets.complaints import complaints
from apps.targets.models import Target, TargetVersion
from apps.targets.specs import SPEC_OF_KIND, TargetSpec, parse_spec


class Command(BaseCommand):
    help = "Add, list and test targets: the systems that answer, and judges."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        add = actions.add_parser("add", help="add a target, or change the one of this name")
        add.add_argument("name")
        add.add_argument("--kind", required=True, choices=list(SPEC_OF_KIND))
        for field, text in _settings().items():
            add.add_argument(_flag(field), dest=f"spec_{field}", metavar="VALUE", help=text)
        listing = actions.add_parser("list", help="show the targets that are not archived")
        test = actions.add_parser("test", help="ask one tiny question; exit 0 when it is answered")
        test.add_argument("name")
        for action in (add, listing, test):
            action.add_argument("--workspace", help="its slug; needless where there is only one")
            action.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *, action: str, workspace: str | None, **options: Any) -> None:
        actions: dict[str, Callable[..., None]] = {
            "add": self._add,
            "list": self._list,
            "test": self._test,
        }
        actions[action](chosen_workspace(workspace), **options)

    def _add(
        self, workspace: Workspace, *, name: str, kind: str, as_json: bool, **options: Any
    ) -> None:
        spec = _spec(kind, options)
        target = workspace.targets.filter(name=name).first()
        try:
            if target:
                before = target.current_number
                version = services.edit_target(target=target, spec=spec, by=None, via="command")
                outcome = "unchanged" if version.number == before else "changed"
            else:
                version = services.create_target(
                    workspace=workspace, name=name, spec=spec, by=None, via="command"
                ).current
                outcome = "added"
        except ValidationError as error:
            raise CommandError(error.messages[0]) from None
        if as_json:
            self._print({**_facts(version), "outcome": outcome})
            return
        self.stdout.write(f"{version} {outcome}: {version.target.label}.")

    def _list(self, workspace: Workspace, *, as_json: bool, **_: Any) -> None:
        versions = TargetVersion.objects.current().select_related("target__workspace")
        active = versions.filter(target__workspace=workspace, target__archived_at=None)
        found = list(active.order_by("target__name"))
        if as_json:
            self._print([_facts(version) for version in found])
            return
        for version in found:
            where = queries.where_of(version.parsed)
            self.stdout.write(f"{version!s:30}  {version.target.label:28}  {where}".rstrip())

    def _test(self, workspace: Workspace, *, name: str, as_json: bool, **_: Any) -> None:
        target = _named(workspace, name)
        try:
            reply = services.test_connection(target.current.parsed)
        except ValidationError as error:
            raise CommandError(error.messages[0]) from None
        if as_json:
            self._print(reply.model_dump(mode="json"))
        elif reply.error_code is None:
            self.stdout.write(
                f"{name} answered in {reply.latency_ms} ms: {(reply.text or '')[:200]}"
            )
        if reply.error_code is not None:
            raise CommandError(f"{name}: {reply.error_code}. {reply.detail}")

    def _print(self, facts: object) -> None:
        self.stdout.write(json.dumps(facts, indent=2, ensure_ascii=False))


def _settings() -> dict[str, str]:
    """Every setting of every kind, with its help text."""
    return {
        name: f"{field.title}. {field.description or ''}".replace("%", "%%").strip()
        for spec_class in SPEC_OF_KIND.values()
        for name, field in spec_class.model_fields.items()
        if name != "kind"
    }


def _spec(kind: str, options: dict[str, Any]) -> TargetSpec:
    given = {
        name.removeprefix("spec_"): value
        for name, value in options.items()
        if name.startswith("spec_") and value is not None
    }
    try:
        return parse_spec({"kind": kind, **{n: _value(n, v) for n, v in given.items()}})
    except pydantic.ValidationError as error:
        found = complaints(error)
        lines = [f"{_flag(name)}: {text}" for name, texts in found.items() for text in texts]
        raise CommandError("\n".join(lines)) from None


def _value(name: str, text: str) -> Any:
    """Objects and lists are written as JSON; everything else is read from its text."""
    if name not in {"extra_body", "headers", "request_template", "canned", "planned_errors"}:
        return text
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise CommandError(f"{_flag(name)}: write this as JSON.") from None


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _named(workspace: Workspace, name: str) -> Target:
    target = workspace.targets.filter(name=name).first()
    if target is None:
        raise CommandError(
            f"There is no target “{name}” in {workspace}: see `evalhub target list`."
        )
    return target


def _facts(version: TargetVersion) -> dict[str, Any]:
    return {
        "id": version.target_id,
        "name": version.target.name,
        "kind": version.target.kind,
        "version": version.number,
        "version_id": version.id,
        "workspace": version.target.workspace.slug,
        "spec": version.parsed.model_dump(mode="json"),
    }
