"""`evalhub web`: the web server alone."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from evalhub.web import serve


class Command(BaseCommand):
    help = "Serve pages and API until Ctrl-C."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        # Read before the settings load (evalhub.__main__); here for --help.
        parser.add_argument("--host", help="address to listen on")
        parser.add_argument("--port", help="port to listen on")
        parser.add_argument("--data-dir", help="database, files and artifacts")

    def handle(self, **options: object) -> None:
        serve()
