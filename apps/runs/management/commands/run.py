"""`evalhub run DATASET --target T [--contract C] [--wait]`: start a run."""

from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.management.base import CommandParser
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.datasets.models import DatasetVersion, Upload
from apps.datasets.naming import version_named
from apps.runs.beginning import answering, starting
from apps.runs.beginning.naming import contract_named, options_named, target_named
from apps.runs.commands import RunCommand


class Command(RunCommand):
    help = (
        "Start a run. With --wait, exit 0 when it completed, 1 completed with failures, "
        "2 failed or cancelled; where no worker is up, it is executed here."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("dataset", help="name, name@version label or id")
        parser.add_argument("--target", required=True, help="who answers: name or id")
        parser.add_argument("--contract", help="name, name@number or id; the latest version")
        parser.add_argument("--judge", help="the target that judges, where rules ask one")
        parser.add_argument(
            "--answers",
            type=Path,
            help="JSONL of record_id and response, or of prefilled responses",
        )
        parser.add_argument("--candidate", default="", help="whose answers, where it has several")
        parser.add_argument("--name", default="")
        parser.add_argument("--note", default="")
        parser.add_argument("--pilot", action="store_true", help="only the first 10 records")
        parser.add_argument(
            "--trials", type=int, default=1, help="how often each record is tried, 1 to 20"
        )
        parser.add_argument("--cost-cap", type=float, help="nothing more is asked past it")
        parser.add_argument("--idempotency-key", help="the same key is the same run")
        parser.add_argument("--wait", action="store_true", help="return when the run has ended")

    def act(self, workspace: Workspace, *, dataset: str, wait: bool, **options: Any) -> None:
        version = version_named(workspace, dataset)
        contract, judge = options["contract"], options["judge"]
        order = starting.order_for(
            workspace=workspace,
            version=version,
            target=target_named(workspace, options["target"]),
            contract=contract_named(workspace, contract) if contract else None,
            judge=target_named(workspace, judge) if judge else None,
            answers=self._answers(workspace, version, **options),
            options=options_named(options),
            by=self.by,
            via="command",
        )
        self.conclude(starting.start_run(order, now=timezone.now()), wait=wait)

    def _answers(
        self,
        workspace: Workspace,
        version: DatasetVersion,
        *,
        answers: Path | None,
        candidate: str,
        pilot: bool,
        **_: Any,
    ) -> Upload | None:
        if answers is None:
            return None
        try:
            raw = answers.read_bytes()
        except OSError as error:
            raise ValidationError(f"{answers}: {error.strerror}.") from None
        answering.check_answers(raw, version, candidate=candidate, pilot=pilot, name=answers.name)
        return answering.keep_answers(
            ContentFile(raw, name=answers.name),
            workspace=workspace,
            by=self.by,
            now=timezone.now(),
            candidate=candidate,
        )
