"""Fixtures of the tests of pages: opening them as Alice, and what the start form chooses among."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Workspace
from apps.datasets.models import DatasetVersion
from apps.grading.models import ContractVersion
from apps.grading.rules import CriteriaJudge
from apps.grading.services import create_contract
from apps.grading.spec import ContractSpec
from apps.targets.models import Target
from apps.targets.specs import RecordedSpec

from . import building

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"

Opener = Callable[..., str]


@pytest.fixture
def opened(as_alice: Client, workspace: Workspace) -> Opener:
    """The text of a page of runs that Alice opens, by its name, arguments and query."""

    def open_page(name: str, *args: object, query: str = "", **headers: str) -> str:
        address = reverse(f"runs:{name}", args=[workspace.slug, *args])
        answer = as_alice.get(f"{address}{query}", headers=headers)
        assert answer.status_code == 200, f"{address}{query}: {answer.status_code}"
        return answer.content.decode()

    return open_page


def words_of(page: str) -> str:
    """What people read, in one line."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


@pytest.fixture
def tickets(workspace: Workspace) -> DatasetVersion:
    return building.make_version(workspace, 12)


@pytest.fixture
def assistant(workspace: Workspace) -> Target:
    return building.make_target(workspace)


@pytest.fixture
def recorded(workspace: Workspace) -> Target:
    return building.make_target(workspace, "recorded", RecordedSpec(source="answers"))


@pytest.fixture
def judged(workspace: Workspace) -> ContractVersion:
    """A contract whose one rule asks a judge about two criteria."""
    rule = CriteriaJudge(name="judge", default_criteria=("overall", "clarity"))
    made = create_contract(
        workspace=workspace,
        name="judged",
        spec=ContractSpec(rules=(rule,)),
        by=None,
        now=building.START,
    )
    return made.versions.get()
