"""`evalhub config`: each setting and where it came from."""

import json
from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from evalhub.config import load
from evalhub.inventory import Setting, settings_of


class Command(BaseCommand):
    help = "Show each setting, its value and where it came from; secrets are masked."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="for scripts")

    def handle(self, *, json: bool, **options: object) -> None:
        settings = settings_of(load())
        self.stdout.write(_as_json(settings) if json else _as_table(settings))


def _as_json(settings: list[Setting]) -> str:
    return json.dumps([setting.model_dump() for setting in settings], indent=2)


def _as_table(settings: list[Setting]) -> str:
    rows = [("setting", "value", "from")]
    rows += [(each.name, each.value or "–", each.source) for each in settings]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    return "\n".join(f"{a:{widths[0]}}  {b:{widths[1]}}  {c}" for a, b, c in rows)
