"""`evalhub agreement FILE`: how far people agree, in any file of labels; nothing is stored."""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from apps.accounts.commands import REFUSED
from apps.datasets.commands import add_map_argument
from apps.labeling.files import telling
from apps.labeling.files.agreeing import agreement_of
from apps.labeling.files.reading import UnfitFile, read_labels


class Command(BaseCommand):
    help = (
        "Say how far people agree, for each criterion of a file of item, annotator, criterion and "
        "label: percent, Krippendorff's alpha, Gwet's AC1, Cohen's kappa of every two people, and "
        "everybody against the others. No server, no database. Exit status: 2 for a file with "
        "errors."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            type=Path,
            help=(
                "CSV or JSON Lines: item (item_id, id), annotator (annotator_id), criterion "
                "(task_type, question; may be missing), label (value)"
            ),
        )
        add_map_argument(parser)
        parser.add_argument(
            "--level",
            choices=["nominal", "ordinal", "interval"],
            default="nominal",
            help="what labels are to alpha: names (default), an order, or numbers",
        )
        parser.add_argument(
            "--gold", type=Path, metavar="FILE", help="known labels, in the same columns"
        )
        parser.add_argument("--seed", type=int, default=0, help="of the bootstrap (default: 0)")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON")

    def handle(self, *, file: Path, gold: Path | None, as_json: bool, **given: Any) -> None:
        files, said = (file, gold), dict(given["map"])
        try:
            labels, known = (read_labels(each, said) if each else [] for each in files)
        except UnfitFile as unfit:
            body = json.dumps(unfit.body, indent=2)
            self.stdout.write(body if as_json else "\n".join(telling.errors(unfit)))
            sys.exit(REFUSED)
        found = agreement_of(labels, gold=known, level=given["level"], seed=given["seed"])
        text = found.model_dump_json(indent=2) if as_json else "\n".join(telling.agreement(found))
        self.stdout.write(text)
