"""The order of the house, checked: chapters, doors, pure code, and what a start may import."""

import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
HEAVY = ("argilla", "openai", "pandas", "scipy")


def _run(*command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *command], cwd=CHECKOUT, capture_output=True, text=True, timeout=120
    )


def test_every_import_respects_the_order_of_chapters_doors_and_pure_code() -> None:
    linter = "from importlinter.cli import lint_imports_command; lint_imports_command()"

    finished = _run("-c", linter, "--no-logo", "--no-cache")

    assert finished.returncode == 0, finished.stdout + finished.stderr


def test_every_chapter_has_its_place_in_the_order() -> None:
    chapters = {path.parent.name for path in (CHECKOUT / "apps").glob("*/__init__.py")}

    order = (CHECKOUT / "pyproject.toml").read_text().partition("layers = [")[2].partition("]")[0]

    assert chapters
    assert {name for name in chapters if f'"apps.{name}"' not in order} == set()


def test_setting_up_and_routing_import_nothing_heavy() -> None:
    script = f"""
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "evalhub.settings"
import django
django.setup()
import evalhub.urls
print(*(name for name in {HEAVY} if name in sys.modules))
"""

    finished = _run("-c", script)

    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.split() == []
