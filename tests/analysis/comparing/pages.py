"""Two runs over the same hundred records, for the pages of comparing."""

from collections.abc import Callable, Sequence
from html import unescape
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion
from apps.runs.models import Run
from tests.runs import building
from tests.runs.building import FAILED_CONTRACT, PASSED, TIMED_OUT, Outcome
from tests.runs.pages import words_of

Answered = Callable[..., Any]
Opener = Callable[..., str]
Shown = Callable[..., str]

BEFORE = [*[PASSED] * 60, *[FAILED_CONTRACT] * 40]
AFTER = [*[PASSED] * 55, *[FAILED_CONTRACT] * 5, *[PASSED] * 25, TIMED_OUT, *[FAILED_CONTRACT] * 14]
"""25 better, 5 worse, an error, 69 the same: exact McNemar p < .001."""


@pytest.fixture
def version(workspace: Workspace) -> DatasetVersion:
    return building.make_version(workspace, 100)


@pytest.fixture
def before(workspace: Workspace, version: DatasetVersion) -> Run:
    return building.ended_run(workspace, BEFORE, version=version, name="v14 prompt")


@pytest.fixture
def after(workspace: Workspace, version: DatasetVersion, before: Run) -> Run:
    return building.ended_run(workspace, AFTER, version=version, name="v15 prompt")


@pytest.fixture
def asked(client: Client, alice: User) -> Answered:
    """What Alice gets at an address of comparing, for these runs and this query."""
    client.force_login(alice)

    def ask(*runs: Run, name: str = "compare", args: Sequence[object] = (), **more: str) -> Any:
        query = {"run": [run.pk for run in runs], **more}
        return client.get(reverse(f"analysis:{name}", args=["demo", *args]), query, follow=True)

    return ask


@pytest.fixture
def opened(asked: Answered) -> Opener:
    def open_page(*runs: Run, status: int = 200, **more: str) -> str:
        answer = asked(*runs, **more)
        page: str = answer.content.decode()
        assert answer.status_code == status, page[:2000]
        return page

    return open_page


@pytest.fixture
def ended(workspace: Workspace, version: DatasetVersion) -> Callable[..., Run]:
    def make(outcomes: Sequence[Outcome] = BEFORE, **more: Any) -> Run:
        return building.ended_run(workspace, outcomes, **{"version": version, **more})

    return make


def says(page: str) -> str:
    """Its words."""
    return unescape(words_of(page))


def text(answer: HttpResponse, status: int = 200) -> str:
    page = answer.content.decode()
    assert answer.status_code == status, page[:3000]
    return unescape(words_of(page))


@pytest.fixture
def listed(asked: Answered) -> Shown:
    def show(*runs: Run, status: int = 200, **more: str) -> str:
        return text(asked(*runs, name="compare-records", **more), status)

    return show


@pytest.fixture
def shown(asked: Answered) -> Shown:
    def show(*runs: Run, ordinal: int = 0, status: int = 200, **more: str) -> str:
        return text(asked(*runs, name="compare-record", args=[ordinal], **more), status)

    return show
