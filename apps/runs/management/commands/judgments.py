"""`evalhub judgments RUN`: what the judges said, in the rows of the legal_eval_v1 pipeline."""

import json
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandParser

from apps.accounts.models import Workspace
from apps.runs.beginning.naming import run_named
from apps.runs.commands import RunCommand
from apps.runs.ending import judgments


class Command(RunCommand):
    help = "Write the judgments of a run over legal_eval_v1, one JSON a line."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("run", help="its id, its name, or latest")
        parser.add_argument("--to", type=Path, metavar="FILE", help="instead of standard output")

    def act(self, workspace: Workspace, *, run: str, to: Path | None, **_: Any) -> None:
        found = run_named(workspace, run)
        lines = judgments.json_lines(found, found.results.order_by("ordinal", "trial"))
        if to is None:
            for line in lines:
                self.stdout.write(line.decode(), ending="")
            return
        try:
            with to.open("wb") as file:
                count = sum(bool(file.write(line)) for line in lines)
        except OSError as error:
            raise ValidationError(f"{to}: {error.strerror}.") from None
        self._tell(found.pk, to, count)

    def _tell(self, run_id: str, to: Path, count: int) -> None:
        if self.as_json:
            told = {"run_id": run_id, "to": str(to), "judgments": count}
            self.stdout.write(json.dumps(told))
        else:
            self.stdout.write(f"{count:,} judgments of {run_id} in {to}")
