"""Bringing the database up to date before a command uses it."""

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import DatabaseError

ADVISORY_KEY = 0x4556414C  # any number that no other program on the same server uses
WITHOUT_DATABASE = frozenset(
    {
        "agreement",
        "argilla",
        "calibrate",
        "check",
        "cluster",
        "collectstatic",
        "compilemessages",
        "config",
        "diffsettings",
        "findstatic",
        "grade",
        "help",
        "makemessages",
        "makemigrations",
        "migrate",
        "optimizemigration",
        "showmigrations",
        "spectacular",
        "sqlmigrate",
        "squashmigrations",
        "startapp",
        "test",
        "testserver",
        "validate",
        "version",
    }
)


def migrate_first(arguments: list[str]) -> None:
    """Apply what is missing, unless the command does without a database."""
    if not arguments or _needs_none(*arguments):
        return
    try:
        migrate()
    except DatabaseError as error:
        sys.exit(f"evalhub: the database cannot be used: {' '.join(str(error).split())}")


def _needs_none(command: str, *rest: str) -> bool:
    if command in WITHOUT_DATABASE or command.startswith("-") or {"--help", "-h"} & set(rest):
        return True
    if command == "contract":
        return bool({"check", "rules"} & set(rest[:1]))
    return command == "verify" and any(Path(word).is_dir() for word in rest)  # an exported folder


def migrate() -> None:
    """Cheap when nothing is missing; of several processes at once, one does the work."""
    if not missing():
        return
    with _alone():
        if missing():
            call_command("migrate", interactive=False, verbosity=0)


def missing() -> set[tuple[str, str]]:
    """Migrations that are in the code and not in the database; reads names, imports nothing."""
    return _in_the_code() - set(MigrationRecorder(connection).applied_migrations())


def _in_the_code() -> set[tuple[str, str]]:
    return {
        (app.label, file.stem)
        for app in apps.get_app_configs()
        for file in (Path(app.path) / "migrations").glob("[0-9]*.py")
    }


@contextmanager
def _alone() -> Iterator[None]:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [ADVISORY_KEY])
            try:
                yield
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [ADVISORY_KEY])
        return
    with (settings.DATA_DIR / "migrate.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
