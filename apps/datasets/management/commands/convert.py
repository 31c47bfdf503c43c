"""`evalhub convert FILE --from S --to FILE.jsonl`: raw rows of a benchmark as legal_eval_v1."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.datasets import told
from apps.datasets.contracts import Rejected
from apps.datasets.formats.legal_eval_v1.converters import CONVERTERS, Converted, convert
from apps.datasets.formats.legal_eval_v1.writing import spelled

SOME_LEFT_OUT, REFUSED = 1, 2


class Command(BaseCommand):
    help = (
        "Make a legal_eval_v1 dataset of a benchmark's raw JSON lines; ids stay the same. Exit "
        "status: 0 every row was converted, 1 some were left out, 2 there is nothing to write."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--from", choices=list(CONVERTERS), required=True, dest="source", help="whose rows"
        )
        parser.add_argument("--to", type=Path, required=True, help="the JSONL file to write")

    def handle(self, *, file: Path, source: str, to: Path, **_: Any) -> None:
        found = self._converted(file, source)
        bad = [each for each in found if each.row is None]
        for each in bad:
            for error in each.errors:
                self.stderr.write(told.printable(f"line {each.line}: {error}"))
        if len(bad) == len(found):
            raise CommandError(f"{file} has no row of {source}.", returncode=REFUSED)
        _write(to, found)
        written = len(found) - len(bad)
        self.stdout.write(f"{to}: {written:,} rows written, {len(bad):,} left out.")
        if bad:
            sys.exit(SOME_LEFT_OUT)

    def _converted(self, file: Path, source: str) -> list[Converted]:
        try:
            return list(convert(file.read_bytes(), source))
        except Rejected as rejected:
            raise CommandError(f"{file}: {rejected.message}", returncode=REFUSED) from None
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}.", returncode=REFUSED) from None


def _write(to: Path, found: list[Converted]) -> None:
    lines = b"".join(spelled(each.row) + b"\n" for each in found if each.row is not None)
    try:
        to.write_bytes(lines)
    except OSError as error:
        raise CommandError(f"{to}: {error.strerror}.", returncode=REFUSED) from None
