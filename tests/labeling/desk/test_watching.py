"""The desk's state: looked at by a chore, kept in a row, read by pages and the health check."""

import socket
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone
from pydantic import SecretStr

from apps.accounts.models import User, Workspace
from apps.jobs.models import JobState
from apps.labeling.desk import desks, watching
from apps.labeling.desk.gateway.argilla_desk import ArgillaDesk
from apps.labeling.desk.gateway.connection import Connection
from apps.labeling.desk.protocol import DeskDown
from apps.labeling.models import Campaign, CampaignStep, DeskStatus
from evalhub.desk import Argilla
from tests.labeling.at_the_desk import opened
from tests.labeling.building import a_campaign, step_of
from tests.labeling.fake_desk import FakeDesk

PLACE = Argilla(
    mode="local",
    url="http://127.0.0.1:7003",
    port=7003,
    webhook_url="http://127.0.0.1:7004/desk/webhook",
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(settings: Any) -> Iterator[FakeDesk]:
    settings.ARGILLA = PLACE
    desk = FakeDesk()
    with desks.use(desk):
        yield desk


def of_argilla(client: Client) -> dict[str, Any]:
    told: dict[str, Any] = client.get("/health").json()["argilla"]
    return told


def test_a_desk_that_answers_is_up_and_tells_us(desk: FakeDesk) -> None:
    watching.watch(timezone.now())

    state = watching.state_of_the_desk()
    assert (state.status, state.version, state.webhook) == ("up", "2.8.0", True)
    assert list(desk.webhooks) == [PLACE.webhook_url]
    assert state.error == ""


def test_looking_again_changes_one_row(desk: FakeDesk) -> None:
    watching.watch(timezone.now())
    watching.watch(timezone.now())

    assert DeskStatus.objects.count() == 1
    assert len(desk.webhooks) == 1


def test_a_desk_that_is_down_says_why_and_when_it_was_there(desk: FakeDesk) -> None:
    before = timezone.now()
    watching.watch(before)
    desk.down = True

    watching.watch(timezone.now())

    state = watching.state_of_the_desk()
    assert (state.status, state.error) == ("down", "The labelling desk does not answer.")
    assert state.reached_at == before
    assert state.version == "2.8.0"
    assert state.latency_ms is None


@pytest.mark.parametrize("calls", [1, 2])
def test_a_desk_that_goes_down_while_it_is_looked_at_is_told(
    desk: FakeDesk, calls: int, workspace: Workspace, alice: User
) -> None:
    opened(a_campaign(workspace, alice), desk)
    desk.down_after = calls

    watching.watch(timezone.now())

    state = watching.state_of_the_desk()
    assert "does not answer" in state.error
    assert state.webhook is (calls == 2)


def test_a_look_that_is_old_says_nothing_of_now(desk: FakeDesk) -> None:
    watching.watch(timezone.now() - timedelta(hours=1))

    state = watching.state_of_the_desk()

    assert (state.status, state.reachable) == ("unknown", None)


def test_who_has_left_is_shut_out_at_the_next_look(
    desk: FakeDesk, workspace: Workspace, alice: User, bob: User
) -> None:
    campaign = opened(a_campaign(workspace, alice, alice, bob), desk)
    bob.memberships.all().delete()

    watching.watch(timezone.now())

    assert desk.workspaces[campaign.desk_name] == {desk.id_of("alice")}


def test_a_campaign_that_is_closed_has_nobody_in_it_any_more(
    desk: FakeDesk, workspace: Workspace, alice: User
) -> None:
    campaign = opened(a_campaign(workspace, alice), desk)
    Campaign.objects.update(state=Campaign.State.CLOSED, closed_at=Now())

    watching.watch(timezone.now())

    assert desk.workspaces[campaign.desk_name] == set()


def test_steps_that_the_desk_holds_up_are_counted(
    desk: FakeDesk, workspace: Workspace, alice: User
) -> None:
    campaign = opened(a_campaign(workspace, alice), desk)
    CampaignStep.objects.create(campaign=campaign, name="sync", error="It does not answer.")
    CampaignStep.objects.filter(campaign=campaign, name="prepare").update(error="not the desk's")

    assert watching.state_of_the_desk().waiting == 1
    assert watching.steps_in_trouble(workspace).get() == step_of(campaign, "sync")


def test_where_the_desk_is_off_nothing_waits_for_it(
    desk: FakeDesk, workspace: Workspace, alice: User, settings: Any
) -> None:
    campaign = opened(a_campaign(workspace, alice), desk)
    CampaignStep.objects.create(campaign=campaign, name="sync", error="It is off.")
    settings.ARGILLA = Argilla(mode="off")

    assert watching.state_of_the_desk().waiting == 0


def test_a_step_that_failed_is_shown_and_waits_no_more(
    desk: FakeDesk, workspace: Workspace, alice: User
) -> None:
    campaign = a_campaign(workspace, alice)
    CampaignStep.objects.update_or_create(
        campaign=campaign, name="push", defaults={"state": JobState.FAILED, "error": "No."}
    )

    assert watching.state_of_the_desk().waiting == 0
    assert watching.steps_in_trouble(workspace).count() == 1


def test_health_tells_of_the_desk_without_asking_it(client: Client, desk: FakeDesk) -> None:
    watching.watch(timezone.now())
    calls = list(desk.calls)

    told = of_argilla(client)

    assert told.pop("checked_at")
    assert told == {
        "mode": "local",
        "status": "up",
        "reachable": True,
        "version": "2.8.0",
        "waiting": 0,
    }
    assert desk.calls == calls


def test_a_desk_that_is_down_is_said_of_that_part_alone(client: Client, desk: FakeDesk) -> None:
    watching.watch(timezone.now())
    up = client.get("/health").json()["status"]
    desk.down = True
    watching.watch(timezone.now())

    down = client.get("/health").json()

    assert down["argilla"]["status"] == "down"
    assert down["status"] == up


def test_where_people_label_nowhere_nothing_is_looked_at(client: Client) -> None:
    watching.watch(timezone.now())

    assert not DeskStatus.objects.exists()
    assert of_argilla(client)["status"] == "off"


def test_a_server_that_accepts_and_never_answers_is_down_after_one_look(settings: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        settings.ARGILLA = Argilla(mode="hosted", url=url, owner_key=SecretStr("a key"))

        watching.watch(timezone.now())

    state = watching.state_of_the_desk()
    assert (state.status, state.reached_at) == ("down", None)
    assert "does not answer in time" in state.error


def test_no_call_of_a_look_waits_as_long_as_other_calls() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with httpx.Client(base_url=address, timeout=None) as client:
            connection = Connection(client, "labels.example")
            desk = ArgillaDesk(connection, installation="ours", within=0.2)

            with pytest.raises(DeskDown, match="in time"):
                desk.about()


def test_a_desk_that_hangs_in_the_middle_of_a_look_is_down_by_its_end(
    desk: FakeDesk, workspace: Workspace, alice: User
) -> None:
    opened(a_campaign(workspace, alice), desk)
    desk.down_after = 2

    watching.watch(timezone.now())

    assert watching.state_of_the_desk().status == "down"
