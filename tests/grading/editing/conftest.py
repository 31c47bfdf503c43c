"""A contract, and the editor opened on it."""

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.grading import services
from apps.grading.models import GradingContract
from apps.grading.starters import starter_spec

from .editor import Editor


@pytest.fixture
def contract(workspace: Workspace) -> GradingContract:
    spec = starter_spec("reference")
    return services.create_contract(
        workspace=workspace, name="quality", spec=spec, by=None, now=timezone.now()
    )


@pytest.fixture
def editor(as_alice: Client, contract: GradingContract) -> Editor:
    return Editor(as_alice, contract)
