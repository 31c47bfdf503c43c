"""The contract whose pages are looked at."""

import pytest

from apps.accounts.models import User, Workspace
from apps.grading.models import GradingContract

from .pages import made


@pytest.fixture
def contract(workspace: Workspace, alice: User) -> GradingContract:
    return made(workspace, by=alice)
