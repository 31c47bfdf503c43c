"""A run whose records are one chunk."""

import pytest

from apps.runs.models import Run
from tests.runs.conftest import MakeTarget, MakeVersion, Start, prepare


@pytest.fixture
def one_chunk(start: Start, make_version: MakeVersion, make_target: MakeTarget) -> Run:
    """A prepared run of six records in one chunk."""
    return prepare(start(version=make_version(6), target=make_target(concurrency=32)))
