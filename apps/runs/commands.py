"""What the commands of runs share: how a run is printed, what its end means for the exit status."""

import json
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn, TextIO

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from apps.accounts.commands import REFUSED, chosen_workspace, person
from apps.accounts.models import User, Workspace

from .beginning.follow_ups import follow_up
from .beginning.naming import run_named
from .following import wait_for, workers_are_up
from .models import Run, RunState
from .queries.progress import Progress
from .telling.told import run_facts

EXIT = {
    RunState.COMPLETED: 0,
    RunState.COMPLETED_WITH_FAILURES: 1,
    RunState.FAILED: 2,
    RunState.CANCELLED: 2,
}
INTERRUPTED = 130
NOBODY_WORKS = "No worker is up: `evalhub up` starts some; with --wait the work is done here."


class RunCommand(BaseCommand):
    """A command in one workspace; what people may expect to fail is one sentence and exit 2."""

    act: Callable[..., None]
    """Does it: the workspace, then the command's own options by name."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", help="its slug; needless where there is only one")
        parser.add_argument("--user", help="who does it, for the audit log")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON")

    def handle(
        self, *, workspace: str | None, user: str | None, as_json: bool, **options: Any
    ) -> None:
        self.by: User | None = person(user) if user else None
        self.as_json = as_json
        try:
            self.act(chosen_workspace(workspace, self.by), **options)
        except ValidationError as error:
            raise CommandError(error.messages[0], returncode=REFUSED) from None

    def conclude(self, run: Run, *, wait: bool) -> None:
        """Print the run as it is; with `wait` as it ends, and leave with what that means."""
        if wait:
            self.follow(run)
        self.tell(run)
        if wait:
            sys.exit(EXIT[RunState(run.state)])
        if run.is_open and not workers_are_up():
            self.stderr.write(NOBODY_WORKS)

    def follow(self, run: Run) -> None:
        """Wait for the end of the run, with progress on a terminal."""
        draw = _progress_on(sys.stderr, run.counted_in)
        try:
            wait_for(run, draw)
        except KeyboardInterrupt:
            self._leave(run)
        finally:
            if draw:
                sys.stderr.write("\r\x1b[K")

    def _leave(self, run: Run) -> NoReturn:
        """At once, whatever is being asked: the engine is made to be killed at any moment."""
        self.stderr.write(
            f"Not waiting any longer: {run.pk} goes on where a worker is up, "
            f"`evalhub cancel {run.pk}` stops it."
        )
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)

    def tell(self, run: Run) -> None:
        facts = run_facts(run)
        if self.as_json:
            self.stdout.write(json.dumps(facts, indent=2))
            return
        for line in lines(facts):
            self.stdout.write(line)


class FollowUpCommand(RunCommand):
    """Starts a new run from one that has ended."""

    kind: str

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("run", help="its id, its name, or latest")
        parser.add_argument("--wait", action="store_true", help="return when the run has ended")

    def act(self, workspace: Workspace, *, run: str, wait: bool, **_: Any) -> None:
        started = follow_up(
            run_named(workspace, run),
            kind=self.kind,
            by=self.by,
            now=timezone.now(),
            via="command",
        )
        self.conclude(started, wait=wait)


def lines(facts: dict[str, Any]) -> list[str]:
    """A run as sentences for a terminal."""
    counts, unit = facts["counts"], facts["counted_in"]
    told = [
        f"{facts['run_id']}  {facts['status']}"
        + (f"  {facts['reason']}" if facts["reason"] else ""),
        f"  {counts['total_records']:,} {unit} = {counts['valid_records']:,} valid "
        f"+ {counts['invalid_records']:,} invalid" + _of_records(facts),
        f"  {counts['valid_records']:,} valid = {counts['evaluated_records']:,} evaluated "
        f"+ {counts['failed_records']:,} failed + {counts['skipped_records']:,} skipped "
        f"+ {counts['waiting_records']:,} waiting",
        f"  {counts['evaluated_records']:,} evaluated = {counts['passed_records']:,} passed "
        f"+ {counts['failed_contract_records']:,} failed the contract "
        f"+ {counts['unjudged_records']:,} unjudged",
    ]
    told += [f"  {change['at']}  {change['state']}" for change in facts["states"]]
    told += [f"  {name}: {_metric(metric)}" for name, metric in facts["metrics"].items()]
    return told + [f"  {_check(check)}" for check in facts["checks"]]


def _of_records(facts: dict[str, Any]) -> str:
    if facts["trials"] == 1:
        return ""
    records = facts["counts"]["total_records"] // facts["trials"]
    return f" ({records:,} records, {facts['trials']} trials each)"


def _check(check: dict[str, Any]) -> str:
    sign = "at least" if check["at_least"] else "at most"
    found = "not known" if check["bound"] is None else f"{check['bound']:.4g}"
    reason = f": {check['reason']}" if check["reason"] else ""
    return (
        f"{check['verdict']}: {check['title']} {sign} {check['limit']:g}, "
        f"by {check['by']} {found}{reason}"
    )


def _metric(metric: dict[str, Any]) -> str:
    if metric["point"] is None:
        return f"not known: {metric['reason']}"
    if metric["low"] is None or metric["high"] is None:
        return f"{metric['point']:.6g} (n = {metric['n']:,})"
    low, high = metric["low"], metric["high"]
    return f"{metric['point']:.4g} [{low:.4g}, {high:.4g}] (n = {metric['n']:,})"


def _progress_on(stream: TextIO, unit: str) -> Any:
    if not stream.isatty():
        return None

    def draw(progress: Progress) -> None:
        pace = f", {progress.per_second:.0f} a second" if progress.per_second else ""
        stream.write(
            f"\r\x1b[K{progress.finished:,} of {progress.planned:,} {unit} ({progress.share:.0%})"
            f"{pace}, {progress.failed:,} failed"
        )
        stream.flush()

    return draw
