"""A question, and what its answer is."""

import pytest

from apps.accounts.models import Workspace
from apps.labeling.models import Breach, Campaign, Question
from apps.labeling.settling.truth import Truth, truth_of
from tests.labeling.labelled import a_campaign, items_of


@pytest.fixture
def campaign(workspace: Workspace) -> Campaign:
    return a_campaign(workspace)


@pytest.fixture
def question(campaign: Campaign) -> Question:
    return campaign.questions.get()


def of(question: Question, number: int = 0) -> Truth:
    return truth_of(items_of(question.campaign)[number], question)


def said(question: Question, number: int = 0) -> tuple[str | None, str, str]:
    truth = of(question, number)
    return truth.label, truth.source, truth.why


def a_breach(question: Question, annotator: str) -> None:
    """Of the first item: what this person said of it does not count."""
    Breach.objects.create(
        item=items_of(question.campaign)[0],
        task_type="grounding",
        annotator=annotator,
        constraint="contradiction_requires_unsupported",
        severity=Breach.Severity.BLOCK,
        message="contradicted but supported",
    )
