"""`evalhub cluster QUEUE`: the workers of one queue; `evalhub worker` starts it."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django_q.conf import Conf

from apps.jobs import cluster


class Command(BaseCommand):
    help = "Run the workers of one queue (started by `evalhub worker`)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("queue", help="must be Q_CLUSTER_NAME in the environment too")
        parser.add_argument("--slot", help="whose supervisor started it")

    def handle(self, *, queue: str, **options: object) -> None:
        if queue != Conf.CLUSTER_NAME:
            raise CommandError(f"Set Q_CLUSTER_NAME={queue} in the environment as well.")
        cluster.run()
