"""`evalhub validate FILE`: what an upload would be answered, without any database."""

import json
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.datasets import answers, formats, told
from apps.datasets.contracts import Options, Rejected
from apps.datasets.reading import read_file

CLEAN, RECORD_ERRORS, REFUSED = 0, 1, 2


class Command(BaseCommand):
    help = (
        "Check a dataset file. Exit status: 0 every record is good, 1 some are rejected, "
        "2 the document is rejected."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--format", choices=list(formats.FORMATS), help="else it is detected")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print the answer")

    def handle(self, *, file: Path, format: str | None, as_json: bool, **_: Any) -> None:  # noqa: A002 - the option's name
        status, body = self._answer(file, format or "")
        if as_json:
            answer = {**body, "request_id": str(uuid4()), "http_status": status}
            self.stdout.write(json.dumps(answer, indent=2))
        else:
            for line in told.lines(body):
                self.stdout.write(line)
        if status != 201:
            sys.exit(RECORD_ERRORS if status == 202 else REFUSED)

    def _answer(self, file: Path, format_id: str) -> answers.Answer:
        try:
            reading = read_file(
                file,
                name=file.name,
                options=Options(format=format_id),
                progress=told.progress_on(sys.stderr),
            )
        except Rejected as rejected:
            return answers.refused(rejected)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}.", returncode=REFUSED) from None
        finally:
            told.end_progress(sys.stderr)
        return answers.answer_to(reading)
