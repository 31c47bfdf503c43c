"""`evalhub import FILE`: upload a dataset from the command line."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from apps.accounts.commands import chosen_workspace, person
from apps.artifacts.store import FileTooLarge
from apps.datasets import answers, formats, told, uploads
from apps.datasets.contracts import Options, Rejected
from apps.datasets.models import Upload
from apps.datasets.reading import TOO_LARGE

BLOCK = 1 << 20
REFUSED = 2


class Command(BaseCommand):
    help = (
        "Upload a dataset file. The same bytes again give the same version. Exit status: 0 there "
        "is a version (with --json, record_errors lists what was rejected), 2 there is none."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--name", default="", help="the dataset's name; else its dataset_id")
        parser.add_argument("--format", choices=list(formats.FORMATS), help="else it is detected")
        parser.add_argument("--workspace", help="its slug; needless where there is only one")
        parser.add_argument("--user", help="who uploads it, for the audit log")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print the answer")

    def handle(self, *, file: Path, as_json: bool, **options: Any) -> None:
        request_id = str(uuid4())
        upload, (status, body) = self._answer(file, request_id, **options)
        if as_json:
            facts = {**body, "request_id": request_id, "http_status": status, **_facts(upload)}
            self.stdout.write(json.dumps(facts, indent=2))
        else:
            for line in [*told.lines(body), *_where(upload)]:
                self.stdout.write(line)
        if status >= 400:
            sys.exit(REFUSED)

    def _answer(
        self, file: Path, request_id: str, **options: Any
    ) -> tuple[Upload | None, answers.Answer]:
        by = person(options["user"]) if options["user"] else None
        try:
            upload = uploads.accept_document(
                workspace=chosen_workspace(options["workspace"], by),
                chunks=_chunks(file),
                filename=file.name,
                by=by,
                options=Options(format=options["format"] or "", dataset_name=options["name"]),
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
        return upload, answers.answer_of(upload)


def _chunks(file: Path) -> Iterator[bytes]:
    with file.open("rb") as content:
        while block := content.read(BLOCK):
            yield block


def _facts(upload: Upload | None) -> dict[str, Any]:
    """What the API answers by other addresses: which dataset it is, and whether it is new."""
    if upload is None or upload.version is None or upload.outcome is None:
        return {"upload_id": upload.pk if upload else None}
    return {
        "upload_id": upload.pk,
        "dataset": upload.version.dataset_id,
        "dataset_name": upload.version.dataset.name,
        "dataset_version": upload.version.label,
        "created": upload.outcome["created"],
        "warnings": upload.outcome["warnings"],
    }


def _where(upload: Upload | None) -> Iterator[str]:
    if upload is None:
        return
    if upload.version is not None and upload.outcome is not None:
        name, label = upload.version.dataset.name, told.printable(upload.version.label)
        known = "" if upload.outcome["created"] else ": these bytes were here already"
        yield f"{name} {label} is {upload.version.pk}{known}."
        yield from map(told.printable, upload.outcome["warnings"])
    yield f"Report: {reverse('datasets:report', args=[upload.workspace.slug, upload.pk])}"
