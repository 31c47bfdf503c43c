"""`evalhub runs`: the newest runs of a workspace."""

import json
from typing import Any

from django.core.management.base import CommandParser

from apps.accounts.models import Workspace
from apps.runs.commands import RunCommand
from apps.runs.models import Run
from apps.runs.queries.progress import counts_of
from apps.runs.telling.told import run_facts


class Command(RunCommand):
    help = "List the newest runs."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--limit", type=int, default=20)
        parser.add_argument("--archived", action="store_true", help="those that are archived")

    def act(self, workspace: Workspace, *, limit: int, archived: bool, **_: Any) -> None:
        runs = workspace.runs.select_related("dataset_version__dataset", "bundle", "created_by")
        runs = runs.exclude(archived_at=None) if archived else runs.filter(archived_at=None)
        found = list(runs.order_by("-created_at", "-pk")[: max(1, limit)])
        if self.as_json:
            self.stdout.write(json.dumps([run_facts(run) for run in found], indent=2))
            return
        for run in found:
            self.stdout.write(_line(run))
        if not found:
            self.stdout.write("No runs yet: `evalhub run DATASET --target T` starts one.")


def _line(run: Run) -> str:
    counts = counts_of(run).denominators
    kind = "" if run.kind == Run.Kind.FRESH else f" ({run.kind})"
    return (
        f"{run.pk}  {run.state:<24} {counts.finished:>7,} / {counts.valid:<7,} "
        f"{run.created_at:%Y-%m-%d %H:%M}  {run.title}{kind}"
    )
