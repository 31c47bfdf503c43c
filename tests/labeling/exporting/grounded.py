"""A campaign that asks whether answers are grounded, to be exported."""

import pytest

from apps.accounts.models import Workspace
from apps.labeling.models import Campaign, Export, Question
from tests.labeling.exported import table
from tests.labeling.labelled import a_campaign, say


@pytest.fixture
def campaign(workspace: Workspace) -> Campaign:
    return a_campaign(workspace)


@pytest.fixture
def question(campaign: Campaign) -> Question:
    """Ada and bob have labelled three answers, and differ about the last."""
    question = campaign.questions.get()
    say(question, "ada", ["true", "false", "true"])
    say(question, "bob", ["true", "false", "false"])
    return question


def ids(export: Export, name: str) -> list[str]:
    return [row["id"] for row in table(export, name)]
