"""`evalhub up`: the whole product in one command."""

import io
import sys
from argparse import ArgumentParser

from django.contrib.auth import get_user_model
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand
from django.db import connections

from apps.jobs.locks import LockedFile, Taken
from evalhub.config import Config, load
from evalhub.launcher import Launcher, address_of
from evalhub.listening import is_free

FIRST_ADMIN = (
    "Nobody can sign in yet. Create the first admin with: evalhub user create NAME --role admin"
)


class Command(BaseCommand):
    help = "Start web, workers and labelling desk, restart what dies, stop cleanly on Ctrl-C."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--demo", action="store_true", help="with example data and people")
        # Read before the settings load (evalhub.__main__); here for --help.
        parser.add_argument("--host", help="address to listen on")
        parser.add_argument("--port", help="port to listen on")
        parser.add_argument("--data-dir", help="database, files and artifacts")

    def handle(self, *, demo: bool, **options: object) -> None:
        config = load()
        lock = _only_one(config)
        try:
            people = self._seed() if demo else _people()
        except KeyboardInterrupt:
            sys.exit(130)
        connections.close_all()
        Launcher(config, say=self._say).run(people)
        del lock

    def _seed(self) -> str:
        """Fill in the example data; what the seeding says are the sign-ins."""
        if "demo" not in get_commands():
            sys.exit("This installation has no example data: start without --demo.")
        self._say("Preparing example data …")
        said = io.StringIO()
        call_command("demo", stdout=said)
        return said.getvalue().strip()

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _only_one(config: Config) -> LockedFile:
    """Refuse to start twice on one data directory, or on a port that is taken."""
    address = address_of(config)
    try:
        lock = LockedFile(config.data_dir / "up.lock")
    except Taken as holder:
        sys.exit(
            f"EvalHub is already up on {config.data_dir}: {holder}. "
            "Stop it first, or choose another directory with --data-dir DIR."
        )
    if not is_free(config.host, config.port):
        sys.exit(
            f"Something else listens on {config.host}:{config.port} already. "
            "Stop it, or choose another port with --port PORT (make demo PORT=…)."
        )
    lock.write(address)
    return lock


def _people() -> str:
    return "" if get_user_model()._default_manager.exists() else FIRST_ADMIN
