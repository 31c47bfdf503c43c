"""`evalhub trace import FILE`: what a system really did, from the command line."""

import json
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from apps.accounts.commands import REFUSED, chosen_workspace, person
from apps.artifacts.store import FileTooLarge
from apps.datasets import answers, told, uploads
from apps.datasets.commands import sent
from apps.datasets.contracts import Options, Rejected
from apps.datasets.models import Upload
from apps.datasets.reading import TOO_LARGE


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
        upload, (status, body) = self._import(file, request_id, given)
        said = (upload.outcome or {}).get("told", "") if upload else ""
        if as_json:
            facts = {"upload_id": upload.pk if upload else None, "told": said}
            answer = {**body, "request_id": request_id, "http_status": status, **facts}
            self.stdout.write(json.dumps(answer, indent=2))
        else:
            self._tell(upload, body, said)
        if status >= 400:
            sys.exit(REFUSED)

    def _import(
        self, file: Path, request_id: str, given: dict[str, Any]
    ) -> tuple[Upload | None, answers.Answer]:
        by = person(given["user"]) if given["user"] else None
        found = sent(file, None)
        try:
            upload = uploads.accept_document(
                workspace=chosen_workspace(given["workspace"], by),
                chunks=found.chunks(),
                filename=found.name,
                by=by,
                options=Options(format="trace", valid_only=given["valid_only"]),
                request_id=request_id,
                via="command",
                told=told.progress_on(sys.stderr),
            )
        except FileTooLarge:
            return None, answers.refused(Rejected(TOO_LARGE, code="payload_too_large", status=413))
        except ValidationError as error:
            raise CommandError(error.messages[0], returncode=REFUSED) from None
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}.", returncode=REFUSED) from None
        finally:
            told.end_progress(sys.stderr)
        if upload.outcome is None:
            raise CommandError(f"{upload.pk}: {uploads.BROKE}", returncode=REFUSED)
        return upload, answers.whole_answer_of(upload)

    def _tell(self, upload: Upload | None, body: dict[str, Any], said: str) -> None:
        for line in told.lines(body):
            self.stdout.write(line)
        if said:
            self.stdout.write(told.printable(said))
        if upload is not None:
            address = reverse("datasets:report", args=[upload.workspace.slug, upload.pk])
            self.stdout.write(f"Report: {address}")
