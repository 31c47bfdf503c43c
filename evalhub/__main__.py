"""The console script: every management command, with configuration errors as one sentence."""

import argparse
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from apps.jobs.processes import tie_to_parent

from .config import ConfigError, load, prepare, use_flags

EVERYWHERE = ["--data-dir"]
SERVING = {"up": ["--port", "--host"], "web": ["--port", "--host"]}


def main() -> None:
    tie_to_parent()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalhub.settings")
    with _not_an_answer(sys.argv[1:2]):
        arguments = _ready(_read_flags(sys.argv[1:]))
    try:
        _run(arguments)
    except BrokenPipeError:  # `evalhub runs | head`: whoever read has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _read_flags(arguments: list[str]) -> list[str]:
    """Take out the flags that must be known before the settings load."""
    rest = _take(EVERYWHERE, arguments)
    return _take(SERVING.get(rest[0] if rest else "", []), rest)


def _take(flags: list[str], arguments: list[str]) -> list[str]:
    parser = argparse.ArgumentParser(prog="evalhub", add_help=False, allow_abbrev=False)
    for flag in flags:
        parser.add_argument(flag)
    known, rest = parser.parse_known_args(arguments)
    use_flags({name: value for name, value in vars(known).items() if value is not None})
    return rest


@contextmanager
def _not_an_answer(command: list[str]) -> Iterator[None]:
    """Of `gate` 0, 1 and 2 are answers: what ends it before it has looked leaves with 3."""
    try:
        yield
    except (SystemExit, Exception) as end:
        if command != ["gate"]:
            raise
        told = end.code if isinstance(end, SystemExit) else traceback.format_exc()
        sys.stderr.write(f"{told}\n" if isinstance(told, str) else "")
        sys.exit(3)


def _ready(arguments: list[str]) -> list[str]:
    """The same, once configuration and database are as they must be."""
    try:
        prepare(load())
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    import django

    from .migrating import migrate_first

    django.setup()
    migrate_first(arguments)
    return arguments


def _run(arguments: list[str]) -> None:
    from django.core.management import execute_from_command_line

    execute_from_command_line(["evalhub", *arguments])


if __name__ == "__main__":
    main()
