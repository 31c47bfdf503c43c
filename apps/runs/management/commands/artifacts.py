"""`evalhub artifacts RUN --to DIR`: write the files of a run into a folder."""

import json
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandParser

from apps.accounts.models import Workspace
from apps.artifacts import exports
from apps.runs.beginning.naming import run_named
from apps.runs.commands import RunCommand


class Command(RunCommand):
    help = "Write the artifacts of a run into a folder; `evalhub verify DIR` checks them anywhere."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("run", help="its id, its name, or latest")
        parser.add_argument("--to", type=Path, required=True, metavar="DIR")

    def act(self, workspace: Workspace, *, run: str, to: Path, **_: Any) -> None:
        found = run_named(workspace, run)
        if found.bundle is None or found.bundle.sealed_at is None:
            raise ValidationError(
                f"{found.pk} is {found.state}: its artifacts are written at the end."
            )
        try:
            names = list(exports.export(found.bundle, to))
        except OSError as error:
            raise ValidationError(f"{to}: {error.strerror}.") from None
        if self.as_json:
            self.stdout.write(json.dumps({"run_id": found.pk, "to": str(to), "files": names}))
        else:
            self.stdout.write(f"{len(names)} files of {found.pk} in {to}: {', '.join(names)}")
