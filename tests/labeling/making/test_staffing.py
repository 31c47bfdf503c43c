"""Whoever left is not waited for: queues, Argilla and the numbers follow who labels now."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from apps.accounts.models import Membership, User, Workspace
from apps.labeling.making import staffing
from apps.labeling.models import Campaign, CampaignStep
from apps.labeling.progress import queues_of
from tests.labeling.at_the_desk import Labeller, looked, opened
from tests.labeling.building import a_campaign, step_of
from tests.labeling.fake_desk import FakeDesk, fake_desk
from tests.labeling.sending.test_pushing import pushed
from tests.runs.conftest import work_on

__all__ = ["fake_desk"]


@pytest.fixture
def campaign(
    workspace: Workspace, alice: User, bob: User, ada: User, fake_desk: FakeDesk
) -> Campaign:
    """Two of three people an item, one item for all three."""
    made = a_campaign(
        workspace, alice, alice, bob, ada,
        tasks=["grounding"], pairs=20, calibration_share=0.5, min_submitted=2,
    )  # fmt: skip
    opened(made, fake_desk)
    settled(made)
    return made


def settled(campaign: Campaign) -> None:
    """Everybody knows who labels, and has done what follows from it."""
    staffing.follow_people(timezone.now())
    for step in campaign.steps.filter(name__in=("analyse", "push")):
        work_on(step)


def overlaps(campaign: Campaign) -> dict[bool, int]:
    return dict(campaign.queues.values_list("calibration", "min_submitted"))


def deactivate(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def leave_the_workspace(user: User) -> None:
    Membership.objects.filter(user=user).delete()


@pytest.mark.parametrize("go", [deactivate, leave_the_workspace])
def test_who_left_is_waited_for_neither_here_nor_in_argilla(
    campaign: Campaign, bob: User, fake_desk: FakeDesk, go: Callable[[User], None]
) -> None:
    go(bob)
    staffing.follow_people(timezone.now())
    pushed(campaign)

    assert overlaps(campaign) == {True: 2, False: 2}
    share = campaign.queues.get(calibration=True)
    assert fake_desk.datasets[share.dataset_id].shape.min_submitted == 2


def test_what_those_who_are_left_have_answered_is_enough(
    campaign: Campaign, bob: User, fake_desk: FakeDesk
) -> None:
    for person in ("alice", "bob"):
        Labeller(fake_desk, campaign, person).says(0, label="true")
    Labeller(fake_desk, campaign, "ada").says(0, label="true")
    Labeller(fake_desk, campaign, "ada").says(1, label="true")
    Labeller(fake_desk, campaign, "alice").says(1, label="true")
    looked(campaign)
    before = queues_of(campaign)[0]

    deactivate(bob)
    staffing.follow_people(timezone.now())
    after = queues_of(campaign)[0]

    assert (before.enough, before.submitted) == (1, 5)
    assert (after.enough, after.submitted) == (2, 4)


def test_the_overlap_is_never_more_than_those_who_are_left_and_grows_when_they_return(
    campaign: Campaign, alice: User, bob: User, ada: User
) -> None:
    def after(active: bool, *people: User) -> dict[bool, int]:
        User.objects.filter(pk__in=[each.pk for each in people]).update(is_active=active)
        staffing.follow_people(timezone.now())
        return overlaps(campaign)

    assert after(False, bob, ada) == {True: 1, False: 1}
    assert after(False, alice) == {True: 1, False: 1}  # not done by nobody
    assert after(True, alice, bob, ada) == {True: 3, False: 2}


@pytest.mark.parametrize("name", [CampaignStep.Name.ANALYSE, CampaignStep.Name.PUSH])
def test_the_numbers_and_argilla_are_asked_for_once_when_somebody_left(
    campaign: Campaign, bob: User, name: str
) -> None:
    staffing.follow_people(timezone.now())
    before = step_of(campaign, name).is_open
    deactivate(bob)

    staffing.follow_people(timezone.now())
    asked = step_of(campaign, name)
    staffing.follow_people(timezone.now())

    assert (before, asked.is_open) == (False, True)
    assert step_of(campaign, name).asked_at == asked.asked_at


def test_argilla_is_asked_for_nothing_where_the_campaign_never_was(
    workspace: Workspace, alice: User
) -> None:
    campaign = a_campaign(workspace, alice, prepared=False, tasks=["grounding"])
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.OPEN)

    staffing.follow_people(timezone.now())

    assert step_of(campaign, CampaignStep.Name.ANALYSE).is_open
    assert not campaign.steps.filter(name=CampaignStep.Name.PUSH).exists()


def test_nobody_is_followed_where_nobody_is_asked(campaign: Campaign, bob: User) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.CLOSED)
    deactivate(bob)

    staffing.follow_people(timezone.now())

    assert overlaps(campaign) == {True: 3, False: 2}


def test_who_left_before_the_items_were_built_is_waited_for_by_none(
    workspace: Workspace, alice: User, bob: User
) -> None:
    campaign = a_campaign(
        workspace, alice, alice, bob, prepared=False, calibration_share=1, tasks=["grounding"]
    )
    deactivate(bob)

    work_on(step_of(campaign, CampaignStep.Name.PREPARE))

    assert overlaps(campaign) == {True: 1}
