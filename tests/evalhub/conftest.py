"""The console script, started as people start it."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.processes import CHECKOUT, START_SECONDS, bare_environment

Evalhub = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home directory; `.evalhub/config.yaml` goes there."""
    (tmp_path / "home" / ".evalhub").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """No setting of ours, and the empty home."""
    return bare_environment(home.parent / "data", HOME=str(home))


@pytest.fixture
def evalhub(environment: dict[str, str]) -> Evalhub:
    def run(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "evalhub", *arguments],
            cwd=CHECKOUT,
            env={**environment, **variables},
            capture_output=True,
            text=True,
            timeout=START_SECONDS,
        )

    return run
