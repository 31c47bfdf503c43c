"""A desk that is not ours: its accounts are handed over, once."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pydantic import SecretStr

from apps.accounts.models import User, Workspace
from apps.labeling.members import people
from apps.labeling.models import Campaign
from evalhub.desk import Argilla
from tests.labeling.fake_desk import FakeDesk
from tests.labeling.members.own_pages import campaign, desk, enter, page

__all__ = ["campaign", "desk"]

HOSTED = Argilla(
    mode="hosted",
    url="http://argilla.internal",
    public_url="https://labels.example.org",
    owner_key=SecretStr("key"),
)


@pytest.fixture
def hosted(desk: FakeDesk, settings: Any, bob: User) -> FakeDesk:
    settings.ARGILLA = HOSTED
    people.account_of(bob, desk)
    return desk


def hand_over(client: Client, user: User, **fields: str) -> Any:
    client.force_login(user)
    return client.post(reverse("labeling:account", args=["demo"]), fields)


def test_the_account_is_handed_over_once(client: Client, hosted: FakeDesk, bob: User) -> None:
    assert "Show the password" in page(client, bob)

    answer = hand_over(client, bob)

    password = hosted.accounts[hosted.id_of("bob")].password
    assert password in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    later = page(client, bob)
    assert password not in later
    assert "Show the password" not in later
    assert "Make a new password" in later


def test_a_second_time_it_takes_more_than_the_same_request(
    client: Client, hosted: FakeDesk, bob: User
) -> None:
    hand_over(client, bob)
    first = hosted.accounts[hosted.id_of("bob")].password

    again = hand_over(client, bob)

    assert again.status_code == 302
    assert hosted.accounts[hosted.id_of("bob")].password == first
    assert hand_over(client, bob, again="1").status_code == 200
    assert hosted.accounts[hosted.id_of("bob")].password != first


def test_with_the_desk_down_the_account_is_handed_over_later(
    client: Client, hosted: FakeDesk, bob: User
) -> None:
    hosted.down = True

    answer = hand_over(client, bob)

    assert answer.status_code == 302
    shown = page(client, bob)
    assert "Nothing has changed" in shown
    assert "Show the password" in shown


def test_an_account_that_was_there_before_is_named_and_not_handed_over(
    client: Client, desk: FakeDesk, settings: Any, workspace: Workspace, bob: User
) -> None:
    settings.ARGILLA = HOSTED
    desk.had("bob")
    people.account_of(bob, desk)

    shown = page(client, bob)

    assert "before EvalHub" in shown
    assert "Show the password" not in shown
    assert hand_over(client, bob).status_code == 302


def test_somebody_without_an_account_is_told_when_it_comes(
    client: Client, desk: FakeDesk, settings: Any, workspace: Workspace, bob: User
) -> None:
    settings.ARGILLA = HOSTED

    assert "is made when a campaign" in page(client, bob)
    assert hand_over(client, bob).status_code == 302


def test_the_way_to_a_queue_there_is_its_address(
    client: Client, campaign: Campaign, hosted: FakeDesk, bob: User
) -> None:
    queue = campaign.queues.get()

    answer = enter(client, bob, queue=queue.pk, status="submitted")

    assert answer["Location"] == (
        f"https://labels.example.org/dataset/{queue.dataset_id}/annotation-mode?status=submitted"
    )
