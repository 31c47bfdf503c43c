"""`evalhub worker`: does the background work of this machine."""

from argparse import ArgumentParser

from django.conf import settings
from django.core.management.base import BaseCommand

from apps.jobs.supervisor import PATIENCE_SECONDS, Supervisor


class Command(BaseCommand):
    help = "Run workers until Ctrl-C; any number of machines may run it on one database."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--patience",
            type=float,
            default=PATIENCE_SECONDS,
            help="seconds after which idle workers that leave messages waiting are replaced",
        )

    def handle(self, *, patience: float, **options: object) -> None:
        queues = [settings.Q_CLUSTER["name"], *settings.Q_CLUSTER["ALT_CLUSTERS"]]
        workers = settings.Q_CLUSTER["workers"]
        folder = settings.DATA_DIR / "workers"
        Supervisor(folder, queues, workers=workers, patience=patience).run()
