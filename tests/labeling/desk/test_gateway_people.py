"""Members at a real server: let in, shut out, signed in, heard."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.jobs.models import JobState
from apps.labeling.desk import gateway, watching
from apps.labeling.desk.protocol import Card
from apps.labeling.members import people
from apps.labeling.models import Campaign, CampaignStep, DeskAccount, DeskStatus, Queue
from evalhub.desk import Argilla
from tests.desk import Desk, running_desk
from tests.labeling.building import a_campaign
from tests.labeling.desk.test_gateway import SHAPE
from tests.processes import wait_until

pytestmark = [pytest.mark.argilla, pytest.mark.django_db(transaction=True)]
PATIENCE = 60.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with running_desk(tmp_path_factory.mktemp("desk")) as desk:
        yield desk


@pytest.fixture
def local(server: Desk, settings: Any) -> Argilla:
    settings.ARGILLA = server.settings
    return server.settings


@pytest.fixture
def queue(local: Argilla, workspace: Workspace, alice: User, bob: User) -> Queue:
    """One queue with one record, as far as this needs one; Alice and Bob are let in."""
    campaign = a_campaign(workspace, alice, alice, bob, tasks=("grounding",))
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.OPEN)
    campaign.refresh_from_db()
    desk = gateway.open_desk()
    people.let_in(campaign, desk)
    queue = campaign.queues.get()
    queue.dataset_id = desk.dataset(campaign.desk_name, "grounding", SHAPE)
    queue.save()
    desk.put(queue.dataset_id, [Card(external_id="item-1", fields={"query": "?", "answer": "!"})])
    return queue


def token_of(server: Desk, username: str, password: str) -> httpx.Response:
    form = {"username": username, "password": password}
    return httpx.post(f"{server.url}/api/v1/token", data=form, timeout=60)


def records(server: Desk, queue: Queue, bearer: str) -> httpx.Response:
    path = f"{server.url}/api/v1/me/datasets/{queue.dataset_id}/records/search"
    return httpx.post(path, json={}, headers={"Authorization": bearer}, timeout=60)


def bearer_of(server: Desk, client: Client, user: User, queue: Queue) -> str:
    """As the browser gets it from the page that the ticket opens."""
    client.force_login(user)
    way = client.post(reverse("labeling:enter", args=["demo"]), {"queue": queue.pk})
    ticket = way["Location"].partition("/evalhub/enter")[2]
    page = httpx.get(f"{server.url}/evalhub/enter{ticket}", timeout=60)
    assert page.status_code == 200
    return "Bearer " + page.text.partition("Bearer ")[2].partition('"')[0]


def test_one_sign_in_opens_ones_queue(
    server: Desk, queue: Queue, client: Client, bob: User
) -> None:
    bearer = bearer_of(server, client, bob, queue)

    answer = records(server, queue, bearer)

    assert answer.status_code == 200
    assert [item["record"]["external_id"] for item in answer.json()["items"]] == ["item-1"]


def test_who_leaves_the_workspace_gets_403_at_the_next_look(
    server: Desk, queue: Queue, client: Client, alice: User, bob: User
) -> None:
    bobs, alices = (bearer_of(server, client, user, queue) for user in (bob, alice))
    bob.memberships.all().delete()

    watching.watch(timezone.now())

    assert records(server, queue, bobs).status_code == 403
    assert records(server, queue, alices).status_code == 200


def test_a_password_that_is_handed_over_opens_the_desk(
    server: Desk, queue: Queue, client: Client, bob: User, settings: Any
) -> None:
    place = server.settings.model_copy(update={"mode": "hosted", "ticket_key": None})
    settings.ARGILLA = place
    client.force_login(bob)

    shown = client.post(reverse("labeling:account", args=["demo"])).content.decode()

    password = shown.partition('data-copy="')[2].partition('"')[0]
    signed_in = token_of(server, "bob", password)
    assert signed_in.is_success
    bearer = f"Bearer {signed_in.json()['access_token']}"
    assert records(server, queue, bearer).status_code == 200
    assert password not in client.get(reverse("labeling:mine", args=["demo"])).content.decode()


def test_a_new_password_ends_the_old_one(
    server: Desk, queue: Queue, client: Client, bob: User, workspace: Workspace
) -> None:
    account = DeskAccount.objects.get(user=bob)
    told = {"workspace": workspace, "now": timezone.now(), "via": "page"}
    first = people.hand_over(account, gateway.open_desk(), again=True, **told)

    second = people.hand_over(
        DeskAccount.objects.get(user=bob), gateway.open_desk(), again=True, **told
    )

    assert not token_of(server, "bob", first).is_success
    assert token_of(server, "bob", second).is_success


def test_the_state_is_that_of_the_real_server(local: Argilla) -> None:
    watching.watch(timezone.now())

    status = DeskStatus.objects.get(url=local.url)
    assert (status.reachable, status.version, status.webhook) == (True, "2.8.0", True)
    assert status.error == ""


def test_an_answer_is_told_by_the_server_itself(
    server: Desk, queue: Queue, client: Client, bob: User, live_server: Any, settings: Any
) -> None:
    url = f"{live_server.url}/desk/webhook"
    settings.ARGILLA = server.settings.model_copy(update={"webhook_url": url})
    watching.watch(timezone.now())
    bearer = bearer_of(server, client, bob, queue)
    record_id = records(server, queue, bearer).json()["items"][0]["record"]["id"]
    values = {"label": {"value": "true"}, "query": {"value": "a"}}

    given = httpx.post(
        f"{server.url}/api/v1/records/{record_id}/responses",
        json={"values": values, "status": "submitted"},
        headers={"Authorization": bearer},
        timeout=60,
    )

    assert given.is_success, given.text
    sent = queue.campaign.steps.filter(name=CampaignStep.Name.SYNC, state=JobState.SENT)
    wait_until(sent.exists, PATIENCE)
    assert Campaign.objects.get(pk=queue.campaign_id).nudged_at is not None
