"""Where the files of these tests are."""

from pathlib import Path

import pytest
from django.conf import LazySettings


@pytest.fixture(autouse=True)
def files_of_this_test(settings: LazySettings, tmp_path: Path) -> None:
    settings.FILES_DIR = tmp_path / "files"
