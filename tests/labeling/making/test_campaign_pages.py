"""The list of campaigns, the page of one, and what its buttons do."""

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.jobs.models import JobState
from apps.labeling.models import Annotation, Campaign, CampaignStep
from apps.labeling.views import campaign_control
from tests.labeling.building import a_campaign, labelled, step_of
from tests.labeling.fake_desk import FakeDesk, fake_desk
from tests.labeling.making.campaign_doors import address, lead
from tests.labeling.sending.test_pushing import pushed

__all__ = ["fake_desk", "lead"]


def test_an_empty_list_says_what_to_do_first(lead: Client, workspace: Workspace) -> None:
    page = lead.get(address("campaigns", workspace)).content.decode()

    assert "No campaigns yet" in page
    assert address("new", workspace) in page


def test_the_list_says_how_far_each_campaign_is(
    lead: Client, workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice)
    pushed(campaign)
    campaign.queues.get(task="grounding").records.update(submitted=1)

    page = lead.get(address("campaigns", workspace)).content.decode()

    assert "Spring labels" in page
    assert '3<span class="muted"> / 6</span>' in page


def test_items_that_a_discard_keeps_from_being_done_are_told(
    lead: Client, workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice, tasks=["grounding"])
    pushed(campaign)
    done, discarded, _open = campaign.queues.get().records.order_by("pk")
    campaign.queues.get().records.filter(pk=done.pk).update(submitted=1, discarded=1)
    campaign.queues.get().records.filter(pk=discarded.pk).update(discarded=1)

    page = lead.get(address("campaign", workspace, campaign)).content.decode()

    assert "(1 discarded)" in page


def test_a_filter_is_in_the_address(lead: Client, workspace: Workspace, alice: User) -> None:
    a_campaign(workspace, alice)

    closed = lead.get(address("campaigns", workspace), {"state": "closed"}).content.decode()
    preparing = lead.get(address("campaigns", workspace), {"state": "preparing"}).content.decode()

    assert "No campaign matches" in closed
    assert "Spring labels" in preparing


def test_a_campaign_page_shows_queues_people_and_sample(
    lead: Client, workspace: Workspace, alice: User, bob: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice, alice, bob, guidelines="Be <b>fair</b>.")
    pushed(campaign)
    labelled(campaign, {"bob": ["true", "false"]})

    page = lead.get(address("campaign", workspace, campaign)).content.decode()

    assert "Be &lt;b&gt;fair&lt;/b&gt;." in page
    assert "Grounding" in page
    assert Annotation.objects.count() == 2
    assert ">2<" in page.split("Bob")[1]
    assert "100.0 %" in page


def test_guidelines_are_read_as_markdown_and_nothing_in_them_runs(
    lead: Client, workspace: Workspace, alice: User
) -> None:
    written = "# How\n\n**yes** <script>x()</script> [a](javascript:x()) ![b](b.png)"
    campaign = a_campaign(workspace, alice, guidelines=written)

    page = lead.get(address("campaign", workspace, campaign)).content.decode()
    shown = page.split('class="prose">')[1].split("</div>")[0]

    assert "<h3>How</h3>" in shown
    assert "<strong>yes</strong>" in shown
    assert [tag for tag in ("<script", 'href="javascript', "<img") if tag in shown] == []


def test_what_a_campaign_waits_for_is_said(
    lead: Client, workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice)
    fake_desk.down = True
    pushed(campaign)

    page = lead.get(address("campaign", workspace, campaign)).content.decode()

    assert "On its way to Argilla" in page
    assert "The labelling desk does not answer." in page


def test_a_failed_campaign_says_why_and_is_tried_again(
    lead: Client, workspace: Workspace, alice: User
) -> None:
    campaign = a_campaign(workspace, alice)
    pushed(campaign)  # people label nowhere
    page = lead.get(address("campaign", workspace, campaign)).content.decode()

    lead.post(address("retry", workspace, campaign))

    campaign.refresh_from_db()
    assert "Could not be brought to Argilla" in page
    assert campaign.state == Campaign.State.PREPARING
    assert step_of(campaign, CampaignStep.Name.PREPARE).is_open


def test_whoever_leaves_is_named_before_they_do(
    lead: Client, workspace: Workspace, alice: User, bob: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice, alice, bob)
    pushed(campaign)
    body = {"people": [str(alice.pk)]}

    asked = lead.post(address("people", workspace, campaign), body)
    still = campaign.assignments.count()
    lead.post(address("people", workspace, campaign), {**body, "confirmed": "yes"})

    assert "No longer labelling: Bob" in asked.content.decode()
    assert still == 2
    assert [each.user for each in campaign.assignments.all()] == [alice]
    assert step_of(campaign, CampaignStep.Name.PUSH).state != JobState.DONE


def test_closing_reopening_archiving_and_restoring(
    lead: Client, workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice)
    pushed(campaign)
    states = []

    for name in ("archive", "close", "archive", "restore", "reopen"):
        lead.post(address(name, workspace, campaign))
        campaign.refresh_from_db()
        states.append((campaign.state, campaign.archived_at is not None))

    assert states == [
        ("open", False),  # first it has to be closed
        ("closed", False),
        ("closed", True),
        ("closed", False),
        ("open", False),
    ]


def test_a_reviewer_makes_no_campaigns(
    client: Client, workspace: Workspace, alice: User, bob: User
) -> None:
    campaign = a_campaign(workspace, alice, bob)
    client.force_login(bob)

    answers = [
        client.get(address("campaigns", workspace)),
        client.get(address("new", workspace)),
        client.get(address("campaign", workspace, campaign)),
        client.post(address("close", workspace, campaign)),
    ]

    assert [answer.status_code for answer in answers] == [403] * 4


def test_a_stranger_sees_no_campaign(
    client: Client, workspace: Workspace, alice: User, charlie: User
) -> None:
    campaign = a_campaign(workspace, alice)
    client.force_login(charlie)

    assert client.get(address("campaign", workspace, campaign)).status_code == 404


@pytest.mark.parametrize("action", ["close", "reopen", "retry", "sync", "archive", "restore"])
def test_each_button_is_called_by_what_it_does(action: str) -> None:
    assert getattr(campaign_control, action).__name__ == action
