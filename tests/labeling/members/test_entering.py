"""The way from a reviewer's page to their queue."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.labeling.desk import watching
from apps.labeling.members.tickets import read
from apps.labeling.models import Campaign, DeskAccount
from evalhub.desk import Argilla
from tests.labeling.at_the_desk import opened
from tests.labeling.building import a_campaign
from tests.labeling.fake_desk import FakeDesk
from tests.labeling.members.own_pages import KEY, campaign, desk, enter, page

__all__ = ["campaign", "desk"]


def test_one_enters_ones_queue_signed_in(client: Client, campaign: Campaign, bob: User) -> None:
    queue = campaign.queues.get()

    answer = enter(client, bob, host="localhost:8000", queue=queue.pk)

    address = urlsplit(answer["Location"])
    assert (answer.status_code, address.netloc) == (302, "localhost:7006")
    assert address.path == "/evalhub/enter"
    text = parse_qs(address.query)["ticket"][0]
    ticket = read(text, key=KEY.get_secret_value(), now=timezone.now())
    assert ticket
    assert ticket.account == bob.desk_account.argilla_id
    assert ticket.path == f"/dataset/{queue.dataset_id}/annotation-mode?status=pending"


def test_where_there_is_no_account_yet_one_is_made(
    client: Client, workspace: Workspace, bob: User, desk: FakeDesk
) -> None:
    answer = enter(client, bob)

    assert answer["Location"].startswith("http://testserver:7006/evalhub/enter?ticket=")
    assert DeskAccount.objects.get().user == bob


@pytest.mark.parametrize("queue", ["0", "x", "99999999999999999999", "-1", "٣"])
def test_a_queue_that_is_not_theirs_is_not_found(
    client: Client, campaign: Campaign, bob: User, queue: str
) -> None:
    assert enter(client, bob, queue=queue).status_code == 404


def test_a_queue_of_a_campaign_that_one_does_not_label_in_is_not_found(
    client: Client, workspace: Workspace, alice: User, bob: User, desk: FakeDesk
) -> None:
    campaign = opened(a_campaign(workspace, alice, alice, tasks=("grounding",)), desk)

    assert enter(client, bob, queue=campaign.queues.get().pk).status_code == 404


def test_a_desk_that_is_down_is_told_on_the_page(
    client: Client, workspace: Workspace, bob: User, desk: FakeDesk
) -> None:
    desk.down = True

    answer = enter(client, bob)

    shown = page(client, bob)
    assert answer["Location"] == reverse("labeling:mine", args=["demo"])
    assert "does not answer" in shown
    assert "Errno" not in shown


def test_nobody_is_sent_to_a_desk_that_is_down_since_the_last_look(
    client: Client, campaign: Campaign, bob: User, desk: FakeDesk
) -> None:
    queue = campaign.queues.get()
    watching.watch(timezone.now())
    desk.down = True

    sent_back = enter(client, bob, queue=queue.pk)
    desk.down = False
    sent_on = enter(client, bob, queue=queue.pk)

    assert sent_back["Location"] == reverse("labeling:mine", args=["demo"])
    assert "/evalhub/enter" in sent_on["Location"]


def test_where_people_label_nowhere_that_is_told(
    client: Client, workspace: Workspace, bob: User
) -> None:
    answer = enter(client, bob)

    assert answer["Location"] == reverse("labeling:mine", args=["demo"])
    assert "label nowhere" in page(client, bob)


def test_what_is_switched_off_offers_no_way_in_and_says_why(
    client: Client, campaign: Campaign, bob: User, settings: Any
) -> None:
    settings.ARGILLA = Argilla(mode="off")

    shown = page(client, bob)

    assert "The labelling desk is switched off." in shown
    assert reverse("labeling:enter", args=["demo"]) not in shown


def test_a_ticket_is_not_given_for_a_link_that_somebody_else_wrote(
    campaign: Campaign, bob: User
) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(bob)

    assert strict.post(reverse("labeling:enter", args=["demo"])).status_code == 403
    assert strict.get(reverse("labeling:enter", args=["demo"])).status_code == 405
