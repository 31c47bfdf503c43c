"""The console script: every management command, with configuration errors as one sentence."""

import argparse
import os
import sys

from apps.jobs.processes import tie_to_parent

from .config import ConfigError, load, prepare, use_flags

EVERYWHERE = ["--data-dir"]
SERVING = {"up": ["--port", "--host"], "web": ["--port", "--host"]}


def main() -> None:
    tie_to_parent()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalhub.settings")
    arguments = _read_flags(sys.argv[1:])
    try:
        prepare(load())
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
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


def _run(arguments: list[str]) -> None:
    import django
    from django.core.management import execute_from_command_line

    from .migrating import migrate_first

    django.setup()
    migrate_first(arguments)
    execute_from_command_line(["evalhub", *arguments])


if __name__ == "__main__":
    main()
