"""A dataset, the run in production that later ones are held against, and Alice at the door."""

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion
from apps.runs.models import Run
from tests.runs.building import make_version

from .building import a_run


@pytest.fixture
def version(workspace: Workspace) -> DatasetVersion:
    return make_version(workspace, 200)


@pytest.fixture
def before(workspace: Workspace, version: DatasetVersion) -> Run:
    return a_run(workspace, 180, 20, version=version, name="in production")


@pytest.fixture
def lead(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client
