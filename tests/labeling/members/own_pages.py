"""Bob's own page, a campaign that asks him, and the way from one to the other."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pydantic import SecretStr

from apps.accounts.models import User, Workspace
from apps.labeling.desk import desks
from apps.labeling.models import Campaign
from evalhub.desk import Argilla
from tests.labeling.at_the_desk import opened
from tests.labeling.building import a_campaign
from tests.labeling.fake_desk import FakeDesk

KEY = SecretStr("the key of tickets")
LOCAL = Argilla(mode="local", url="http://127.0.0.1:7006", port=7006, ticket_key=KEY)


@pytest.fixture
def desk(settings: Any) -> Iterator[FakeDesk]:
    settings.ARGILLA = LOCAL
    desk = FakeDesk()
    with desks.use(desk):
        yield desk


@pytest.fixture
def campaign(workspace: Workspace, alice: User, bob: User, desk: FakeDesk) -> Campaign:
    """Four items for Alice and Bob, one answer each; Bob settles as well."""
    made = a_campaign(
        workspace,
        alice,
        alice,
        bob,
        tasks=("grounding",),
        pairs=4,
        settlers=[bob],
        guidelines="Be kind.",
    )
    return opened(made, desk)


def page(client: Client, user: User) -> str:
    client.force_login(user)
    answer = client.get(reverse("labeling:mine", args=["demo"]))
    assert answer.status_code == 200
    return answer.content.decode()


def enter(client: Client, user: User, host: str = "testserver", **fields: Any) -> Any:
    client.force_login(user)
    return client.post(reverse("labeling:enter", args=["demo"]), fields, headers={"host": host})
