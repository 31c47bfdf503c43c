"""The page with every label of a campaign: narrowed, with history, and what contradicts itself."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.labeling.models import Campaign, CampaignStep
from apps.labeling.syncing import heard, sync_now
from tests.labeling.at_the_desk import Labeller, looked, opened
from tests.labeling.building import a_campaign, step_of
from tests.labeling.fake_desk import FakeDesk, fake_desk

__all__ = ["fake_desk"]

SOUND = {"topically_relevant": "true", "evidence_sufficient": "true", "misleading": "false"}
BLOCKED = {**SOUND, "topically_relevant": "false"}


@pytest.fixture
def campaign(workspace: Workspace, alice: User, bob: User, fake_desk: FakeDesk) -> Campaign:
    made = a_campaign(workspace, alice, alice, bob, tasks=("retrieval_full", "relevance"))
    return opened(made, fake_desk)


@pytest.fixture
def ask_bob(campaign: Campaign, fake_desk: FakeDesk) -> Labeller:
    return Labeller(fake_desk, campaign, "bob", "relevance")


def page(client: Client, campaign: Campaign, **query: object) -> str:
    response = client.get(_address(campaign), query)
    assert response.status_code == 200
    return response.content.decode()


def _address(campaign: Campaign) -> str:
    return reverse("labeling:labels", args=["demo", campaign.pk])


def test_a_lead_reads_who_said_what(
    client: Client, alice: User, campaign: Campaign, ask_bob: Labeller
) -> None:
    ask_bob.says(0, label="true", notes="Word <b>for</b> word.")
    sync_now(campaign)
    client.force_login(alice)

    shown = page(client, campaign)

    assert 'data-label="Person">Bob' in shown
    assert 'data-label="Asked">relevance' in shown
    assert "Word &lt;b&gt;for&lt;/b&gt; word." in shown


def test_before_anybody_labels_the_page_says_so(
    client: Client, alice: User, campaign: Campaign
) -> None:
    client.force_login(alice)

    assert "Nobody has labelled yet" in page(client, campaign)


def test_labels_are_narrowed(
    client: Client, alice: User, campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    ask_bob.says(0, label="true")
    ask_bob.discards(1)
    Labeller(fake_desk, campaign, "alice", "retrieval_full").says(0, **BLOCKED)
    Labeller(fake_desk, campaign, "bob", "retrieval_full").says(0, **SOUND)
    sync_now(campaign)
    client.force_login(alice)
    question = campaign.questions.get(name="misleading").pk

    assert _lines(page(client, campaign)) == 8
    assert _lines(page(client, campaign, task="relevance")) == 2
    assert _lines(page(client, campaign, question=question)) == 2
    assert _lines(page(client, campaign, label="true")) == 4
    assert _lines(page(client, campaign, annotator="alice")) == 3
    assert _lines(page(client, campaign, state="discarded")) == 1
    assert _lines(page(client, campaign, state="unreasoned")) == 1
    assert _lines(page(client, campaign, state="blocked")) == 3
    assert _lines(page(client, campaign, state="warned")) == 0
    assert _lines(page(client, campaign, annotator="nobody", state="nonsense")) == 8


def test_a_change_shows_what_was_said_before(
    client: Client, alice: User, campaign: Campaign, ask_bob: Labeller
) -> None:
    ask_bob.says(0, label="true")
    sync_now(campaign)
    ask_bob.discards(0, discard_reason="outside_reviewer_expertise")
    sync_now(campaign)
    ask_bob.drafts(0, label="true")
    sync_now(campaign)
    client.force_login(alice)

    shown = page(client, campaign, state="changed")

    assert "2 changes" in shown
    assert "Discarded, Outside reviewer expertise" in shown
    assert '<span class="muted">Taken back</span>' in shown


def test_what_contradicts_itself_says_how(
    client: Client, alice: User, campaign: Campaign, fake_desk: FakeDesk
) -> None:
    Labeller(fake_desk, campaign, "bob", "retrieval_full").says(0, **BLOCKED)
    sync_now(campaign)
    client.force_login(alice)

    shown = page(client, campaign)

    assert "retrieval: evidence_sufficient=True but topically_relevant=False" in shown
    assert shown.count("Does not count") == 3


def test_answers_of_unknown_people_are_told(
    client: Client, alice: User, campaign: Campaign, fake_desk: FakeDesk
) -> None:
    stranger = fake_desk.person("owner", "The owner")
    fake_desk.workspaces[campaign.desk_name].add(stranger.id)
    Labeller(fake_desk, campaign, "owner", "relevance").says(0, label="true")
    sync_now(campaign)
    client.force_login(alice)

    shown = page(client, campaign)

    assert "1 answer in Argilla could not be kept" in shown
    assert "unknown person" in shown


def test_a_lead_has_everything_read_again(
    client: Client, alice: User, campaign: Campaign, ask_bob: Labeller
) -> None:
    ask_bob.says(0, label="true")
    looked(campaign)
    client.force_login(alice)
    assert "Read all again" in page(client, campaign)

    client.post(reverse("labeling:sync", args=["demo", campaign.pk]))

    assert heard(campaign).whole_at is None
    assert step_of(campaign, CampaignStep.Name.SYNC).is_open


def test_reviewers_do_not_see_what_others_said(
    client: Client, bob: User, campaign: Campaign
) -> None:
    client.force_login(bob)

    assert client.get(_address(campaign)).status_code == 403


def test_more_labels_take_no_more_queries(
    client: Client, alice: User, campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    ask_bob.says(0, label="true")
    sync_now(campaign)
    client.force_login(alice)
    page(client, campaign)
    few = _queries(client, campaign)

    for place in range(3):
        Labeller(fake_desk, campaign, "bob", "retrieval_full").says(place, **BLOCKED)
        ask_bob.discards(place)
    sync_now(campaign)

    assert _queries(client, campaign) <= few


def _queries(client: Client, campaign: Campaign) -> int:
    with CaptureQueriesContext(
        connection,
    ) as caught:
        page(client, campaign)
    return len(caught)


def _lines(shown: str) -> int:
    return shown.count('data-label="Asked"')
