"""`evalhub validate FILE`: what an upload would be answered, without any database."""

import json
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.datasets import answers, told
from apps.datasets.commands import Sent, add_file_arguments, options_of, sent
from apps.datasets.contracts import Options, Rejected
from apps.datasets.uploading.reading import read_file

CLEAN, RECORD_ERRORS, REFUSED = 0, 1, 2


class Command(BaseCommand):
    help = (
        "Check a dataset file. Exit status: 0 every record is good, 1 some are rejected, "
        "2 the document is rejected."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser)

    def handle(self, *, file: Path, files: Path | None, as_json: bool, **given: Any) -> None:
        status, body = self._answer(sent(file, files), options_of(given))
        if as_json:
            answer = {**body, "request_id": str(uuid4()), "http_status": status}
            self.stdout.write(json.dumps(answer, indent=2))
        else:
            for line in told.lines(body):
                self.stdout.write(line)
        if status != 201:
            sys.exit(RECORD_ERRORS if status == 202 else REFUSED)

    def _answer(self, found: Sent, options: Options) -> answers.Answer:
        try:
            reading = read_file(
                found.file,
                name=found.name,
                files=found.files,
                options=options,
                progress=told.progress_on(sys.stderr),
            )
        except Rejected as rejected:
            return answers.refused(rejected)
        except OSError as error:
            raise CommandError(f"{found.file}: {error.strerror}.", returncode=REFUSED) from None
        finally:
            told.end_progress(sys.stderr)
        return answers.answer_to(reading, valid_only=options.valid_only)
