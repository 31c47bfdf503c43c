"""`evalhub verify RUN`: recompute every hash; of an exported folder without any database."""

import sys
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.accounts.commands import REFUSED, chosen_workspace
from apps.artifacts import bundles
from apps.artifacts.verification import Report, verify_folder
from apps.runs.beginning.naming import run_named


class Command(BaseCommand):
    help = "Recompute every hash of a run's artifacts. Exit 0: all true, 1: not, 2: not to be done."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", help="a run's id or name, or a folder that was exported")
        parser.add_argument("--workspace", help="its slug; needless where there is only one")
        parser.add_argument("--manifest-sha256", default="", help="what the manifest must hash to")
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(
        self, *, run: str, workspace: str | None, manifest_sha256: str, as_json: bool, **_: Any
    ) -> None:
        try:
            report = _report(run, workspace, manifest_sha256)
        except ValidationError as error:
            raise CommandError(error.messages[0], returncode=REFUSED) from None
        if as_json:
            self.stdout.write(report.model_dump_json(indent=2))
        else:
            for line in _lines(report):
                self.stdout.write(line)
        sys.exit(0 if report.ok else 1)


def _report(run: str, workspace: str | None, manifest_sha256: str) -> Report:
    if Path(run).is_dir():
        return verify_folder(Path(run), manifest_sha256=manifest_sha256)
    found = run_named(chosen_workspace(workspace), run)
    if found.bundle is None or found.bundle.sealed_at is None:
        raise ValidationError(f"{found.pk} is {found.state}: its artifacts are written at the end.")
    return bundles.verify(found.bundle)


def _lines(report: Report) -> list[str]:
    checks = [report.manifest, *report.artifacts]
    told = [f"{check.state:>8}  {check.name}  {check.found_sha256}" for check in checks]
    told += [
        f"  wrong: {each.artifact} {each.record_id}: {each.message}"
        for each in report.record_errors
    ]
    verdict = (
        "Everything is as it was sealed." if report.ok else "Something was changed or is missing."
    )
    return [*told, f"{report.records_checked:,} record hashes recomputed. {verdict}"]
