"""`evalhub evidence verify MANIFEST`: is a manifest of evidence true?"""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from apps.accounts.commands import chosen_workspace
from apps.datasets.told import printable
from apps.traces import services
from apps.traces.evidence import Checked, verify

TRUE, FAULTS, UNREADABLE = 0, 1, 2


class Command(BaseCommand):
    help = (
        "Check a manifest of evidence beside its artifacts. Exit status: 0 all of it is true, "
        "1 something is wrong, 2 it cannot be read."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        check = actions.add_parser("verify", help="check a manifest and its artifacts")
        check.add_argument("manifest", type=Path)
        check.add_argument("--root", type=Path, help="the folder of the artifacts; else its own")
        check.add_argument(
            "--require",
            action="append",
            default=[],
            metavar="ID",
            help="an artifact that the manifest must list; may be repeated",
        )
        check.add_argument("--workspace", help="keep what was found in this workspace, by its slug")
        check.add_argument("--json", action="store_true", dest="as_json", help="print the answer")

    def handle(self, *, manifest: Path, root: Path | None, as_json: bool, **given: Any) -> None:
        checked = verify(manifest, root, given["require"])
        if given["workspace"] and checked.is_readable:
            workspace = chosen_workspace(given["workspace"])
            services.keep_evidence(workspace=workspace, checked=checked, by=None)
        if as_json:
            self.stdout.write(json.dumps(_answer(checked), indent=2))
        else:
            self._tell(checked)
        if checked.diagnostics:
            sys.exit(FAULTS if checked.is_readable else UNREADABLE)

    def _tell(self, checked: Checked) -> None:
        for each in checked.diagnostics:
            self.stdout.write(f"{each.location}: {each.code}: {printable(each.message)}")
        if checked.diagnostics:
            return
        self.stdout.write(f"{printable(checked.subject)}, by {printable(checked.issuer)}: true.")
        for name, value in checked.signals.items():
            self.stdout.write(f"  {printable(name)}: {printable(json.dumps(value))}")


def _answer(checked: Checked) -> dict[str, Any]:
    return {
        "ok": not checked.diagnostics,
        "issuer": checked.issuer,
        "subject": checked.subject,
        "measured_at": checked.measured_at.isoformat() if checked.measured_at else None,
        "sha256": checked.sha256,
        "signals": checked.signals,
        "diagnostics": [each._asdict() for each in checked.diagnostics],
    }
