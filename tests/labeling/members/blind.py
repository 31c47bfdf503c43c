"""A run that says something nobody may read who labels blind, and what an address answered."""

import pytest
from django.http import HttpResponseBase

from apps.accounts.models import Workspace
from apps.runs.models import Run
from tests.runs import building

SECRET = "said-by-the-judge"


def body_of(answer: HttpResponseBase) -> str:
    pieces = answer if answer.streaming else [answer.content]  # type: ignore[attr-defined]
    return b"".join(pieces).decode(errors="replace")  # type: ignore[arg-type]


@pytest.fixture
def run(workspace: Workspace) -> Run:
    return building.ended_run(workspace)
