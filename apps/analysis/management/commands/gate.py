"""`evalhub gate RUN`: hold a run to a policy; the exit status is the answer."""

import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from typing import Any, NoReturn

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.analysis.gates.contracts import Report
from apps.analysis.gates.deciding import decide
from apps.analysis.gates.policies.choosing import latest_run, policy_for
from apps.analysis.gates.telling.linking import report_of
from apps.analysis.gates.telling.reports import as_json, as_junit, as_markdown, as_text
from apps.analysis.models import GateDecision
from apps.runs.beginning.naming import run_named
from apps.runs.commands import RunCommand
from apps.runs.models import Run

EXIT = {"pass": 0, "fail": 1, "inconclusive": 2}
LATEST = "latest"
UNDECIDED = 3
"""Whatever keeps the gate from an answer, or the answer from being told: neither pass nor fail."""

NO_ADDRESS = "Links have no server in front: set EVALHUB_BASE_URL to where people reach EvalHub."


class Command(RunCommand):
    help = (
        "Hold a run to a policy. Exit 0 where it passes, 1 where it fails, 2 where the numbers "
        "leave it open, 3 where nothing was decided: an unknown name, a run that is still open."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)

        def refuse(message: str) -> NoReturn:
            """argparse would leave with 2, which is an answer here."""
            parser.print_usage(sys.stderr)
            parser.exit(UNDECIDED, f"{prog_name} {subcommand}: {message}\n")

        parser.error = refuse  # type: ignore[method-assign]
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", help="its slug; needless where there is only one")
        parser.add_argument("--user", help="who does it, for the audit log")
        parser.add_argument(
            "run",
            help="its id, its name, or latest: the newest of the policy's dataset that has ended",
        )
        parser.add_argument("--policy", default="", help="name or id; else the dataset's own")
        parser.add_argument(
            "--baseline", help="a run's id or name; else the one approved for the policy"
        )
        parser.add_argument("--change-id", default="", help="what is to be released; else the run")
        parser.add_argument("--wait", action="store_true", help="wait until the run has ended")
        forms = parser.add_mutually_exclusive_group()
        forms.add_argument("--json", action="store_true", dest="as_json", help="print JSON")
        forms.add_argument("--junit", action="store_true", help="print JUnit XML, a test a check")
        forms.add_argument("--markdown", action="store_true", help="for a comment on a change")

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except CommandError as error:
            raise CommandError(str(error), returncode=UNDECIDED) from None
        except Exception as error:
            self.stderr.write(traceback.format_exc())
            raise CommandError(f"Nothing was decided: {error}", returncode=UNDECIDED) from None

    def act(
        self,
        workspace: Workspace,
        *,
        run: str,
        policy: str,
        baseline: str | None,
        change_id: str,
        wait: bool,
        junit: bool,
        markdown: bool,
        **_: Any,
    ) -> None:
        is_latest = run == LATEST
        found = (
            latest_run(workspace, policy, open_too=wait) if is_latest else _named(workspace, run)
        )
        held = policy_for(found, policy)
        other = _named(workspace, baseline) if baseline else None
        if wait:
            self.follow(found)
        decision = decide(
            found,
            policy=held,
            baseline=other,
            change_id=change_id,
            by=self.by,
            now=timezone.now(),
            via="command",
        )
        write = as_json if self.as_json else as_junit if junit else as_text
        self._tell(decision, as_markdown if markdown else write)
        if not settings.BASE_URL and (self.as_json or junit or markdown):
            with suppress(OSError):
                self.stderr.write(NO_ADDRESS)
        sys.exit(EXIT[decision.answer])

    def _tell(self, decision: GateDecision, write: Callable[[Report], str]) -> None:
        """In UTF-8 whatever the locale; the decision stands where nobody can be told of it."""
        try:
            _speak_utf8()
            report = report_of(decision, base=settings.BASE_URL, reader=None)
            self.stdout.write(write(report))
            self.stdout.flush()
        except Exception as error:
            _drop_the_rest()
            with suppress(OSError):
                self.stderr.write(
                    f"decided {decision.answer} as {decision.pk}, but it could not be written: "
                    f"{error}"
                )
            sys.exit(UNDECIDED)


def _speak_utf8() -> None:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")


def _drop_the_rest() -> None:
    """What could not be written is not tried again at the end: that would be another status."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _named(workspace: Workspace, name: str) -> Run:
    if "\0" in name:
        raise ValidationError("The name of a run has no null character.")
    return run_named(workspace, name)
