"""`evalhub regrade RUN --contract C [--judge J]`: grade the answers of a run again."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.runs.beginning.naming import contract_named, options_named, run_named, target_named
from apps.runs.beginning.regrading import Regrade, regrade
from apps.runs.commands import RunCommand


class Command(RunCommand):
    help = (
        "Start a new run that judges the answers of one that has ended; its target is not asked. "
        "Exit status as of `run`."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("run", help="its id, its name, or latest")
        parser.add_argument(
            "--contract",
            help="name, name@number or id; without one only rules that came with the data count",
        )
        parser.add_argument("--judge", help="the target that judges; else the one of the run")
        parser.add_argument(
            "--name", default="", help="of the new run; else it tells the run and the contract"
        )
        parser.add_argument("--wait", action="store_true", help="return when the run has ended")

    def act(
        self,
        workspace: Workspace,
        *,
        run: str,
        contract: str | None,
        judge: str | None,
        name: str,
        wait: bool,
        **_: Any,
    ) -> None:
        wanted = Regrade(
            parent=run_named(workspace, run),
            contract=contract_named(workspace, contract) if contract else None,
            judge=target_named(workspace, judge) if judge else None,
            name=options_named({"name": name}).name,
            by=self.by,
            via="command",
        )
        self.conclude(regrade(wanted, now=timezone.now()), wait=wait)
