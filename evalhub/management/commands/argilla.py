"""`evalhub argilla`: the labelling desk alone."""

import sys
from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from evalhub import desk
from evalhub.config import load
from evalhub.launcher import Family


class Command(BaseCommand):
    help = "Run our own Argilla server until Ctrl-C; `evalhub up` does it too."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        # Read before the settings load (evalhub.__main__); here for --help.
        parser.add_argument("--data-dir", help="database, files and artifacts")

    def handle(self, **options: object) -> None:
        config = load()
        if config.argilla.mode != "local":
            sys.exit(f"EVALHUB_ARGILLA_MODE is {config.argilla.mode}: there is no server to run.")
        family = Family(self._say)
        server = desk.server_of(config, say=family.say, on_line=family.say)
        if not server:
            sys.exit(1)
        family.children.append(server)
        family.run()

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
