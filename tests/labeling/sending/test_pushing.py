"""Records on their way to the desk: once each, from where it was left, and nothing beside them."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.jobs.leases import LeaseLost
from apps.jobs.models import JobState
from apps.labeling.desk.protocol import BATCH
from apps.labeling.making import control
from apps.labeling.models import Campaign, CampaignStep, DeskRecord
from apps.labeling.sending.pushing import push
from tests.labeling.building import a_campaign, step_of
from tests.labeling.fake_desk import FakeDesk, fake_desk
from tests.runs.conftest import expire, lease_of, work_on

__all__ = ["fake_desk"]

PUSH = CampaignStep.Name.PUSH


def pushed(campaign: Campaign) -> CampaignStep:
    step = work_on(step_of(campaign, PUSH))
    campaign.refresh_from_db()
    return step


def test_a_campaign_is_open_when_everything_is_there(
    workspace: Workspace, alice: User, bob: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice, alice, bob, guidelines="Be fair.")

    step = pushed(campaign)

    assert (campaign.state, step.state) == (Campaign.State.OPEN, JobState.DONE)
    assert (step.done, step.total) == (6, 6)
    assert {each.name: len(each.cards) for each in fake_desk.datasets.values()} == {
        "spring-labels-grounding-2": 3,
        "spring-labels-relevance-2": 3,
    }
    assert {each.shape.guidelines for each in fake_desk.datasets.values()} == {"Be fair."}
    assert len(fake_desk.workspaces[campaign.desk_name]) == 2
    assert step_of(campaign, CampaignStep.Name.SYNC).is_open


@pytest.mark.parametrize(("language", "words"), [("en", "has two parts"), ("de", "hat zwei Teile")])
def test_the_guidelines_of_a_task_in_two_parts_say_that_there_is_another(
    workspace: Workspace,
    alice: User,
    bob: User,
    fake_desk: FakeDesk,
    language: str,
    words: str,
) -> None:
    asked = {"tasks": ["grounding"], "pairs": 8, "calibration_share": 0.25, "language": language}
    campaign = a_campaign(workspace, alice, alice, bob, guidelines="Be fair.", **asked)

    pushed(campaign)

    sent = {each.name: each for each in fake_desk.datasets.values()}
    parts = [sent[f"spring-labels-grounding-{part}"] for part in (1, 2)]
    named = [f"`{part.name}` ({len(part.cards)})" for part in parts]
    for number, part in enumerate(parts, start=1):
        told, _, written = part.shape.guidelines.partition("\n\n")
        assert words in told
        assert all(name in told for name in named)
        assert (f"part {number}." in told, f"Teil {number}." in told).count(True) == 1
        assert written == "Be fair."


def test_only_what_was_asked_for_is_sent(
    workspace: Workspace, alice: User, bob: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice, bob, tasks=["grounding"], calibration_share=0.5)

    pushed(campaign)

    cards = [card for each in fake_desk.datasets.values() for card in each.cards.values()]
    assert len(cards) == 3
    for card in cards:
        assert card.metadata == {}
        assert card.fields == {
            "query": card.fields["query"],
            "response": "Yes, within 60 days.",
            "context": "Unused goods can be returned within 60 days.",
        }
    told = " ".join(f"{each.name} {each.shape}" for each in fake_desk.datasets.values()).lower()
    assert not any(word in told for word in ("gold", "calibrat", "score", "judge"))


def test_pushing_goes_on_where_a_killed_worker_left_it(
    workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice, tasks=["grounding"], pairs=BATCH + 20)
    step = step_of(campaign, PUSH)
    lease = lease_of(step)
    fake_desk.down_after = 5  # a person, who may enter, the dataset, its waiting, one batch
    push(step, lease)
    left = DeskRecord.objects.filter(pushed_at=None).count()
    fake_desk.down, fake_desk.down_after = False, None

    CampaignStep.objects.filter(pk=step.pk).update(not_before=timezone.now())
    pushed(campaign)

    assert left == 20
    assert campaign.state == Campaign.State.OPEN
    [dataset] = fake_desk.datasets.values()
    assert len(dataset.cards) == BATCH + 20
    assert fake_desk.calls.count("put") == 2


def test_a_desk_that_is_down_is_waited_for(
    workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice)
    fake_desk.down = True

    step = pushed(campaign)

    assert (campaign.state, step.state) == (Campaign.State.PREPARING, JobState.PENDING)
    assert step.error == "The labelling desk does not answer."
    assert step.not_before > timezone.now() + timedelta(seconds=5)
    assert step.deliveries == 0


def test_what_the_desk_refuses_fails_the_campaign_until_it_is_tried_again(
    workspace: Workspace, alice: User
) -> None:
    campaign = a_campaign(workspace, alice)  # people label nowhere: the mode is off

    step = pushed(campaign)

    assert (campaign.state, step.state) == (Campaign.State.FAILED, JobState.FAILED)
    assert step.error


def test_a_second_delivery_changes_nothing(
    workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice)
    pushed(campaign)
    first = list(fake_desk.datasets)
    CampaignStep.objects.filter(campaign=campaign, name=PUSH).update(state=JobState.PENDING)

    pushed(campaign)

    assert list(fake_desk.datasets) == first
    assert fake_desk.calls.count("put") == 2


def test_personal_data_stays_where_the_workspace_redacts_it(
    workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    workspace.redacts_personal_data = True
    workspace.save(update_fields=["redacts_personal_data"])
    campaign = a_campaign(workspace, alice, tasks=["relevance"], query="Write to jo@example.org?")

    pushed(campaign)

    [dataset] = fake_desk.datasets.values()
    assert not any("jo@example.org" in card.fields["query"] for card in dataset.cards.values())


def test_nobody_enters_a_closed_campaign(
    workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice)
    pushed(campaign)
    control.close(campaign, by=alice, now=timezone.now())

    pushed(campaign)

    assert fake_desk.workspaces[campaign.desk_name] == set()
    assert step_of(campaign, CampaignStep.Name.SYNC).is_open


def test_a_worker_that_lost_its_lease_opens_nothing(
    workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice)
    step = step_of(campaign, PUSH)
    lease = lease_of(step)
    expire(step)
    lease_of(step)

    with pytest.raises(LeaseLost):
        push(step, lease)

    campaign.refresh_from_db()
    assert campaign.state == Campaign.State.PREPARING
