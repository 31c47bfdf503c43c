"""`evalhub cancel RUN`: ask nobody any more; what was answered is kept."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.runs import control
from apps.runs.beginning.naming import run_named
from apps.runs.commands import RunCommand


class Command(RunCommand):
    help = "Cancel a run: nobody is asked any more, what was answered is kept."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("run", help="its id, its name, or latest")
        parser.add_argument("--wait", action="store_true", help="return when the run has ended")

    def act(self, workspace: Workspace, *, run: str, wait: bool, **_: Any) -> None:
        found = run_named(workspace, run)
        control.cancel(found, by=self.by, now=timezone.now(), via="command")
        if wait:
            self.follow(found)
        self.conclude(run_named(workspace, found.pk), wait=False)
