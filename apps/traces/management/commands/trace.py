"""`evalhub trace import FILE`: what a system really did, from the command line."""

import json
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse

from apps.accounts.commands import REFUSED
from apps.datasets import told
from apps.datasets.commands import sent, taken
from apps.datasets.contracts import Options
from apps.datasets.models import Upload


class Command(BaseCommand):
    help = (
        "Import traces: events of telemetry or logs of messages, one JSON a line. The same trace "
        "again is the same trace. Exit status: 0 they are here, 2 they are refused."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        take = actions.add_parser("import", help="import the traces of a file")
        take.add_argument("file", type=Path)
        take.add_argument("--workspace", help="its slug; needless where there is only one")
        take.add_argument("--user", help="who imports them, for the audit log")
        take.add_argument(
            "--valid-only", action="store_true", help="leave out the traces that have errors"
        )
        take.add_argument("--json", action="store_true", dest="as_json", help="print the answer")

    def handle(self, *, file: Path, as_json: bool, **given: Any) -> None:
        request_id = str(uuid4())
        upload, (status, body) = taken(
            sent(file, None),
            Options(format="trace", valid_only=given["valid_only"]),
            request_id=request_id,
            workspace=given["workspace"],
            user=given["user"],
        )
        said = (upload.outcome or {}).get("told", "") if upload else ""
        if as_json:
            facts = {"upload_id": upload.pk if upload else None, "told": said}
            answer = {**body, "request_id": request_id, "http_status": status, **facts}
            self.stdout.write(json.dumps(answer, indent=2))
        else:
            self._tell(upload, body, said)
        if status >= 400:
            sys.exit(REFUSED)

    def _tell(self, upload: Upload | None, body: dict[str, Any], said: str) -> None:
        for line in told.lines(body):
            self.stdout.write(line)
        if said:
            self.stdout.write(told.printable(said))
        if upload is not None:
            address = reverse("datasets:report", args=[upload.workspace.slug, upload.pk])
            self.stdout.write(f"Report: {address}")
