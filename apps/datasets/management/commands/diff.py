"""`evalhub diff DATASET A B`: what changed from one version to another."""

import json
import sys
from collections.abc import Iterator
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.accounts.commands import REFUSED, chosen_workspace, person
from apps.datasets.comparing.versions import KINDS, Change, Kind, changes, compare
from apps.datasets.models import DatasetVersion
from apps.datasets.naming import version_named
from apps.datasets.told import printable

SAME, DIFFERENT = 0, 1
PAGE = 500
SHOWN = 20
SIGNS = {"added": "+", "removed": "-", "changed": "~"}


class Command(BaseCommand):
    help = (
        "Compare two versions of a dataset. Exit status: 0 the same records, 1 others, 2 refused."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("dataset", help="its name or id")
        parser.add_argument("old", help="a version's label or id")
        parser.add_argument("new", help="a version's label or id")
        parser.add_argument("--workspace", help="its slug; needless where there is only one")
        parser.add_argument("--user", help="who asks")
        parser.add_argument("--json", action="store_true", dest="as_json", help="list every change")

    def handle(self, *, dataset: str, old: str, new: str, as_json: bool, **given: Any) -> None:
        workspace = chosen_workspace(
            given["workspace"], person(given["user"]) if given["user"] else None
        )
        try:
            before, after = (version_named(workspace, _named(dataset, one)) for one in (old, new))
        except ValidationError as error:
            raise CommandError(error.messages[0], returncode=REFUSED) from None
        found = compare(before, after)
        if as_json:
            listed: dict[str, list[str]] = {
                kind: [c.record_id for c in _all(before, after, kind)] for kind in KINDS
            }
            facts = {"from": before.pk, "to": after.pk, "counts": found._asdict(), **listed}
            self.stdout.write(json.dumps(facts, indent=2))
        else:
            for line in _lines(before, after):
                self.stdout.write(line)
        if found.added or found.removed or found.changed:
            sys.exit(DIFFERENT)


def _lines(before: DatasetVersion, after: DatasetVersion) -> Iterator[str]:
    found = compare(before, after)
    yield (
        f"{before} to {after}: {found.added:,} added, {found.removed:,} removed, "
        f"{found.changed:,} changed, {found.same:,} the same."
    )
    for kind in KINDS:
        for change in changes(before, after, kind, most=SHOWN):
            yield f"  {SIGNS[kind]} {printable(change.record_id)}"
        if getattr(found, kind) > SHOWN:
            yield f"  … and {getattr(found, kind) - SHOWN:,} more {kind}: --json lists them."


def _all(before: DatasetVersion, after: DatasetVersion, kind: Kind) -> Iterator[Change]:
    last = -1
    while page := changes(before, after, kind, after=last, most=PAGE):
        yield from page
        record = page[-1].before if kind == "removed" else page[-1].after
        last = record.ordinal if record else last


def _named(dataset: str, version: str) -> str:
    return version if version.startswith("dsv_") else f"{dataset}@{version}"
