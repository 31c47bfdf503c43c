"""What is asked for while it is just failing is done after it."""

from collections.abc import Callable, Sequence

import pytest

from apps.accounts.models import User, Workspace
from apps.jobs.models import MAX_DELIVERIES, JobState
from apps.labeling.desk import desks
from apps.labeling.desk.protocol import DeskRefused
from apps.labeling.making import control
from apps.labeling.models import Campaign, CampaignStep
from apps.labeling.nudging import ask_for
from tests.labeling.building import a_campaign, step_of
from tests.labeling.fake_desk import FakeDesk, fake_desk
from tests.labeling.sending.test_pushing import PUSH, pushed
from tests.runs.conftest import again, work_on

__all__ = ["fake_desk"]

PREPARE = CampaignStep.Name.PREPARE
REFUSED = "No such role."


class Failing(FakeDesk):
    """Lets nobody in; before it says so, something happens."""

    def __init__(self, desk: FakeDesk, meanwhile: Callable[[], object], error: Exception) -> None:
        self.__dict__.update(desk.__dict__)
        self._meanwhile, self._error = meanwhile, error

    def let_in(self, workspace: str, person_ids: Sequence[str]) -> None:
        self._meanwhile()
        raise self._error


def failed(
    campaign: Campaign,
    desk: FakeDesk,
    meanwhile: Callable[[], object],
    error: Exception | None = None,
) -> CampaignStep:
    """The push, once it was refused or something else went wrong."""
    with desks.use(Failing(desk, meanwhile, error or DeskRefused(REFUSED))):
        return pushed(campaign)


@pytest.fixture
def campaign(workspace: Workspace, alice: User, fake_desk: FakeDesk) -> Campaign:
    return a_campaign(workspace, alice, tasks=["grounding"])


def test_a_push_that_is_asked_for_while_it_is_refused_is_tried_again(
    campaign: Campaign, alice: User, fake_desk: FakeDesk
) -> None:
    pushed(campaign)
    ask_for(campaign.pk, PUSH)

    step = failed(campaign, fake_desk, lambda: control.try_again(campaign, by=alice))
    refused = failed(campaign, fake_desk, lambda: None)

    assert (step.state, campaign.state) == (JobState.PENDING, Campaign.State.OPEN)
    assert (refused.state, refused.error) == (JobState.FAILED, REFUSED)


def test_who_presses_try_again_while_a_push_fails_has_the_campaign_brought_to_argilla(
    campaign: Campaign, alice: User, bob: User, fake_desk: FakeDesk
) -> None:
    failed(campaign, fake_desk, lambda: None)
    before = campaign.state
    control.change_people(campaign, [alice, bob], by=alice)

    failed(campaign, fake_desk, lambda: control.try_again(campaign, by=alice))
    work_on(step_of(campaign, PREPARE))
    pushed(campaign)

    assert (before, campaign.state) == (Campaign.State.FAILED, Campaign.State.OPEN)
    assert len(fake_desk.workspaces[campaign.desk_name]) == 2


def test_who_is_changed_while_a_first_push_is_refused_has_it_tried_again(
    campaign: Campaign, alice: User, bob: User, fake_desk: FakeDesk
) -> None:
    failed(campaign, fake_desk, lambda: control.change_people(campaign, [alice, bob], by=alice))
    still = campaign.state
    pushed(campaign)

    assert (still, campaign.state) == (Campaign.State.PREPARING, Campaign.State.OPEN)


@pytest.mark.parametrize(
    ("asks", "states"),
    [
        (True, (JobState.PENDING, Campaign.State.PREPARING)),
        (False, (JobState.FAILED, Campaign.State.FAILED)),
    ],
)
def test_what_failed_for_good_is_tried_again_where_it_was_asked_for_meanwhile(
    campaign: Campaign, fake_desk: FakeDesk, asks: bool, states: tuple[str, str]
) -> None:
    rows = CampaignStep.objects.filter(campaign=campaign, name=PUSH)
    rows.update(deliveries=MAX_DELIVERIES - 1)

    def meanwhile() -> None:
        if asks:
            ask_for(campaign.pk, PUSH)

    step = failed(campaign, fake_desk, meanwhile, OSError("broken pipe"))

    assert (step.state, again(campaign).state) == states
