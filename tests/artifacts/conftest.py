"""A store of its own for every test, and a bundle of Alice's workspace to fill."""

import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import LazySettings

from apps.accounts.models import Workspace
from apps.artifacts import bundles, store
from apps.artifacts.models import Bundle

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
RECORD = {"record_id": "q1", "input": {"prompt": "What is overfitting?"}}


@pytest.fixture(autouse=True)
def files(settings: LazySettings, tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    settings.FILES_DIR = folder
    settings.RETENTION_RAW_DAYS = 30
    settings.RETENTION_SUMMARY_DAYS = 180
    return folder


@pytest.fixture
def bundle(workspace: Workspace) -> Bundle:
    return bundles.open_bundle(workspace=workspace, kind="run")


def age(file: Path, hours: float = 2) -> None:
    """As if nobody had touched the file for hours."""
    then = time.time() - hours * 3600
    os.utime(file, (then, then))


def age_store() -> None:
    for file in stored_files():
        age(file)


def stored_files() -> list[Path]:
    """Every file under a final name."""
    root = store.path("0" * 64).parents[2]
    return [file for file in root.glob("??/??/*") if file.is_file()]


def waiting_files() -> list[Path]:
    """Every file that is still being written, or was left behind."""
    return list((store.path("0" * 64).parents[2] / "tmp").iterdir())
