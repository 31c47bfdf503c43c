"""`evalhub calibrate --labels FILE --scores FILE`: judges against people; nothing is stored."""

import json
import sys
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from apps.accounts.commands import REFUSED
from apps.labeling.files import telling
from apps.labeling.files.calibrating import calibrations_of
from apps.labeling.files.reading import UnfitFile, read_rows


class Command(BaseCommand):
    help = (
        "Hold every judge of a file of scores against people's labels: confusion matrix, rates "
        "with intervals, the judge's pass rate and the corrected one, or why there is none. No "
        "server, no database. Exit status: 2 for a file with errors."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--labels",
            type=Path,
            required=True,
            metavar="FILE",
            help="CSV or JSON Lines: id, task_type, label (true or false), annotator_id",
        )
        parser.add_argument(
            "--scores",
            type=Path,
            required=True,
            metavar="FILE",
            help="CSV or JSON Lines: id, metric_family, score, method",
        )
        parser.add_argument(
            "--threshold", type=_share, default=0.5, help="a score from here on passes: 0.5"
        )
        parser.add_argument(
            "--sample",
            choices=["random", "separate", "chosen"],
            default="unknown",
            help=(
                "how the labelled pairs came about: drawn at random from those with a score, a "
                "set beside them, or chosen as interesting; needed unless all are labelled"
            ),
        )
        parser.add_argument("--seed", type=int, default=0, help="of the bootstrap (default: 0)")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON")

    def handle(self, *, labels: Path, scores: Path, as_json: bool, **given: Any) -> None:
        try:
            rows = read_rows(labels, "annotations"), read_rows(scores, "scores")
        except UnfitFile as unfit:
            body = json.dumps(unfit.body, indent=2)
            self.stdout.write(body if as_json else "\n".join(telling.errors(unfit)))
            sys.exit(REFUSED)
        settings = {name: given[name] for name in ("threshold", "sample", "seed")}
        found = calibrations_of(*rows, **settings)
        if as_json:
            judges = [each.model_dump(mode="json") for each in found]
            self.stdout.write(json.dumps({**settings, "judges": judges}, indent=2))
            return
        for each in found:
            self.stdout.write("\n".join([*telling.calibration(each), ""]))


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text} is no number.") from None
    if not 0 <= value <= 1:
        raise ArgumentTypeError(f"{text}: scores lie between 0 and 1.")
    return value
