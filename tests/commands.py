"""Our commands in tests: what they print and their exit status, in this process or in their own."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from django.core.management import CommandError, call_command

from tests.processes import CHECKOUT, bare_environment


class Told(NamedTuple):
    """What a command printed, and its exit status."""

    out: str
    err: str
    status: int

    @property
    def facts(self) -> Any:
        return json.loads(self.out)


def evalhub(*words: str) -> Told:
    """The command as the console script would run it, in this process and its database."""
    out, err = StringIO(), StringIO()
    status = 0
    try:
        call_command(*words, stdout=out, stderr=err)
    except SystemExit as end:
        status = int(end.code or 0)
    except CommandError as error:
        err.write(str(error))
        status = error.returncode
    return Told(out.getvalue(), err.getvalue(), status)


def evalhub_in(data_dir: Path, *words: str) -> Told:
    """The console script as a process of its own, with a data directory of its own."""
    ended = subprocess.run(
        [sys.executable, "-m", "evalhub", *words],
        cwd=CHECKOUT,
        env=bare_environment(data_dir),
        capture_output=True,
        text=True,
        timeout=120,
    )
    return Told(ended.stdout, ended.stderr, ended.returncode)
