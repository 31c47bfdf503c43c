"""The page of the labelling desk: what state it is in, and what to do."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pydantic import SecretStr

from apps.accounts.models import User, Workspace
from apps.labeling.desk import desks, watching
from apps.labeling.models import CampaignStep, DeskStatus
from evalhub.desk import Argilla
from tests.labeling.at_the_desk import opened
from tests.labeling.building import a_campaign
from tests.labeling.fake_desk import FakeDesk

LOCAL = Argilla(
    mode="local",
    url="http://127.0.0.1:7007",
    port=7007,
    ticket_key=SecretStr("key"),
    webhook_url="http://127.0.0.1:7008/desk/webhook",
)


@pytest.fixture
def desk(settings: Any) -> Iterator[FakeDesk]:
    settings.ARGILLA = LOCAL
    desk = FakeDesk()
    with desks.use(desk):
        yield desk


def page(client: Client, user: User) -> str:
    client.force_login(user)
    answer = client.get(reverse("labeling:desk", args=["demo"]))
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_desk_that_answers_is_shown_with_its_version(
    client: Client, desk: FakeDesk, workspace: Workspace, bob: User
) -> None:
    watching.watch(timezone.now())

    shown = page(client, bob)

    assert "2.8.0" in shown
    assert "Reachable" in shown
    assert "http://testserver:7007" in shown
    assert "Open Argilla" in shown


def test_a_desk_that_is_down_says_what_to_do(
    client: Client, desk: FakeDesk, workspace: Workspace, alice: User
) -> None:
    desk.down = True
    watching.watch(timezone.now())

    shown = page(client, alice)

    assert "The labelling desk does not answer." in shown
    assert "evalhub up" in shown
    assert "Everything else works" in shown


def test_technical_words_are_for_leads(
    client: Client, desk: FakeDesk, workspace: Workspace, alice: User, bob: User
) -> None:
    watching.watch(timezone.now())
    told = "[Errno 111] Connection refused"
    DeskStatus.objects.update(reachable=False, error=told)

    assert told in page(client, alice)
    shown = page(client, bob)
    assert told not in shown
    assert "does not answer" in shown


def test_the_page_itself_does_not_ask_the_desk(
    client: Client, desk: FakeDesk, workspace: Workspace, alice: User
) -> None:
    page(client, alice)

    assert desk.calls == []


def test_before_anybody_looked_that_is_said(
    client: Client, desk: FakeDesk, workspace: Workspace, alice: User
) -> None:
    assert "Nobody has looked at the desk lately" in page(client, alice)


def test_a_lead_reads_which_step_it_holds_up_and_why(
    client: Client, desk: FakeDesk, workspace: Workspace, alice: User, bob: User
) -> None:
    campaign = opened(a_campaign(workspace, alice), desk)
    CampaignStep.objects.create(campaign=campaign, name="sync", error="It does not <answer>.")

    lead, reviewer = page(client, alice), page(client, bob)

    assert "It does not &lt;answer&gt;." in lead
    assert "Spring labels" not in reviewer


def test_where_people_label_nowhere_the_page_says_how_they_could(
    client: Client, workspace: Workspace, bob: User
) -> None:
    shown = page(client, bob)

    assert "EVALHUB_ARGILLA_MODE=local" in shown
    assert "Open Argilla" not in shown


def test_a_hosted_desk_without_a_key_says_what_is_missing(
    client: Client, workspace: Workspace, alice: User, settings: Any
) -> None:
    settings.ARGILLA = Argilla(mode="hosted", url="http://labels.example")
    watching.watch(timezone.now())

    assert "EVALHUB_ARGILLA_API_KEY is missing" in page(client, alice)


def test_where_the_desk_is_off_answers_are_not_said_to_be_read(
    client: Client, workspace: Workspace, alice: User
) -> None:
    with desks.use(desk := FakeDesk()):
        campaign = opened(a_campaign(workspace, alice), desk)
    client.force_login(alice)
    places = {"slug": "demo", "campaign_id": campaign.pk}

    shown = client.get(reverse("labeling:campaign", kwargs=places)).content.decode()
    asked = client.post(reverse("labeling:sync", kwargs=places), follow=True).content.decode()

    assert "Read answers now" not in shown
    assert "The labelling desk is switched off." in shown
    assert "Answers are being read" not in asked
    assert "EVALHUB_ARGILLA_MODE is off" in asked


@pytest.mark.parametrize(("mode", "told"), [("hosted", True), ("local", False)])
def test_a_lead_is_told_where_those_who_label_can_read_each_other(
    client: Client,
    desk: FakeDesk,
    workspace: Workspace,
    alice: User,
    mode: str,
    settings: Any,
    told: bool,
) -> None:
    settings.ARGILLA = LOCAL.model_copy(update={"mode": mode})
    watching.watch(timezone.now())

    assert ("can read the answers of others" in page(client, alice)) is told
