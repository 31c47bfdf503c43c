"""What granian loads before it listens, in a process of its own."""

import subprocess
import sys

import pytest

from tests.processes import CHECKOUT, START_SECONDS

FIRST_PAGE = """
import io, sys
from wsgiref.util import setup_testing_defaults
from evalhub.wsgi import application
there = set(sys.modules)
asked = {"PATH_INFO": "/sign-in/"}
setup_testing_defaults(asked)
application(asked, lambda status, headers: print(status))
import apps.metrics.comparing
print(*sorted(name for name in set(sys.modules) - there if name.endswith(PARTS)))
"""


@pytest.fixture
def first_page(environment: dict[str, str]) -> list[str]:
    """What the first page of a new server answers, then what was imported only for it."""
    parts = ("urls", "views", "forms", "api", "comparing")
    finished = subprocess.run(
        [sys.executable, "-c", f"PARTS = {parts}\n{FIRST_PAGE}"],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=True,
    )
    return finished.stdout.splitlines()


def test_the_first_page_finds_pages_and_statistics_imported(first_page: list[str]) -> None:
    status, imported = first_page

    assert status == "200 OK"
    assert imported == ""
