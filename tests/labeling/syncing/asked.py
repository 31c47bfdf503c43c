"""A campaign at the fake desk that asks Alice and Bob."""

from collections.abc import Callable, Iterator
from datetime import datetime

import pytest

from apps.accounts.models import User, Workspace
from apps.labeling.desk.protocol import Response
from apps.labeling.models import Campaign, CampaignStep
from tests.labeling.at_the_desk import Labeller, opened
from tests.labeling.building import a_campaign
from tests.labeling.fake_desk import FakeDesk

SYNC, ANALYSE = CampaignStep.Name.SYNC, CampaignStep.Name.ANALYSE


@pytest.fixture
def campaign(workspace: Workspace, alice: User, bob: User, fake_desk: FakeDesk) -> Campaign:
    made = a_campaign(workspace, alice, alice, bob, tasks=("grounding", "relevance"))
    return opened(made, fake_desk)


@pytest.fixture
def ask_bob(campaign: Campaign, fake_desk: FakeDesk) -> Labeller:
    return Labeller(fake_desk, campaign, "bob", "grounding")


class Overheard(FakeDesk):
    """While its answers are read for the first time, something happens."""

    def __init__(self, desk: FakeDesk, meanwhile: Callable[[], None]) -> None:
        self.__dict__.update(desk.__dict__)
        self._meanwhile = [meanwhile]

    def responses(
        self, workspace: str, dataset_id: str, since: datetime | None = None
    ) -> Iterator[Response]:
        found = list(super().responses(workspace, dataset_id, since))
        while self._meanwhile:
            self._meanwhile.pop()()
        return iter(found)
