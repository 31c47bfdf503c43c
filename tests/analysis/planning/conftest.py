"""Alice plans from a run."""

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.runs.models import Run
from tests.runs.building import FAILED_CONTRACT, PASSED, ended_run, make_version


@pytest.fixture
def as_alice(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


@pytest.fixture
def run(workspace: Workspace) -> Run:
    """200 records, four of five pass."""
    version = make_version(workspace, 200)
    return ended_run(workspace, [PASSED] * 4 + [FAILED_CONTRACT], version=version, name="first")
