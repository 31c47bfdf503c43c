"""What Argilla tells us: heard with the right signature only, and a nudge at most."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client
from standardwebhooks.webhooks import Webhook

from apps.accounts.models import User, Workspace
from apps.jobs.models import JobState
from apps.labeling.desk import desks
from apps.labeling.desk.webhooks import Secrets
from apps.labeling.models import Campaign, CampaignStep
from evalhub.desk import Argilla
from tests.labeling.at_the_desk import opened
from tests.labeling.building import a_campaign, step_of
from tests.labeling.fake_desk import SECRET, FakeDesk
from tests.processes import wait_until

OTHER = "whsec_YW5vdGhlciBzZWNyZXQgdGhhbiBvdXJz"


@pytest.fixture
def desk(settings: Any) -> Iterator[FakeDesk]:
    """At an address that no other test has: what is known of it is kept in memory."""
    url = f"http://{uuid4().hex}.example/desk/webhook"
    settings.ARGILLA = Argilla(mode="local", url="http://127.0.0.1:7005", webhook_url=url)
    desk = FakeDesk()
    desk.listen(url)
    with desks.use(desk):
        yield desk


@pytest.fixture
def campaign(desk: FakeDesk, workspace: Workspace, alice: User) -> Campaign:
    campaign = opened(a_campaign(workspace, alice), desk)
    desk.calls.clear()
    return campaign


def event(dataset_id: str, kind: str = "response.created") -> dict[str, Any]:
    return {"type": kind, "version": 1, "data": {"record": {"dataset": {"id": dataset_id}}}}


def of(campaign: Campaign) -> dict[str, Any]:
    return event(campaign.queues.order_by("pk")[0].dataset_id)


def deliver(
    client: Client, content: Any, secret: str = SECRET, at: datetime | None = None
) -> HttpResponse:
    """As Argilla does."""
    body = content if isinstance(content, str) else json.dumps(content)
    moment = at or datetime.now(UTC)
    headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": Webhook(secret).sign("msg_1", moment, body),
    }
    return post(client, body, headers)


def post(client: Client, body: str, headers: dict[str, str]) -> HttpResponse:
    answer: HttpResponse = client.post(
        "/desk/webhook", body, content_type="application/json", headers=headers
    )
    return answer


def nudged(campaign: Campaign) -> bool:
    campaign.refresh_from_db()
    steps = CampaignStep.objects.filter(campaign=campaign, name="sync")
    assert (campaign.nudged_at is not None) == steps.exists()
    return campaign.nudged_at is not None


def test_an_answer_that_is_told_is_asked_for_soon(client: Client, campaign: Campaign) -> None:
    answer = deliver(client, of(campaign))

    assert (answer.status_code, answer.content) == (204, b"")
    assert nudged(campaign)


def test_only_the_campaign_of_the_dataset_is_asked_for(
    client: Client, campaign: Campaign, desk: FakeDesk, workspace: Workspace, alice: User
) -> None:
    other = opened(a_campaign(workspace, alice, name="Autumn labels"), desk)

    deliver(client, of(campaign))

    assert nudged(campaign)
    assert not nudged(other)


def test_a_second_delivery_changes_nothing_but_the_moment(
    client: Client, campaign: Campaign
) -> None:
    deliver(client, of(campaign))
    answer = deliver(client, of(campaign))

    assert answer.status_code == 204
    step = step_of(campaign, "sync")
    assert step.state in (JobState.PENDING, JobState.SENT)


def test_the_secret_is_asked_for_once(client: Client, campaign: Campaign, desk: FakeDesk) -> None:
    for _ in range(3):
        deliver(client, of(campaign))

    assert desk.calls == ["webhook_secret"]


@pytest.mark.parametrize("kind", ["response.updated", "response.deleted"])
def test_changes_and_deletions_are_heard_as_well(
    client: Client, campaign: Campaign, kind: str
) -> None:
    content = {**of(campaign), "type": kind}

    deliver(client, content)

    assert nudged(campaign)


@pytest.mark.parametrize("kind", ["record.completed", "ping", ""])
def test_other_events_are_taken_and_do_nothing(
    client: Client, campaign: Campaign, kind: str
) -> None:
    answer = deliver(client, {**of(campaign), "type": kind})

    assert answer.status_code == 204
    assert not nudged(campaign)


@pytest.mark.parametrize("content", [[], {}, "7", {"type": "response.created", "data": None}])
def test_what_is_signed_and_makes_no_sense_does_nothing(
    client: Client, campaign: Campaign, content: Any
) -> None:
    assert deliver(client, content).status_code == 204
    assert not nudged(campaign)


def test_a_dataset_that_is_not_ours_is_of_no_interest(client: Client, campaign: Campaign) -> None:
    assert deliver(client, event(str(uuid4()))).status_code == 204
    assert not nudged(campaign)


def test_a_campaign_that_is_closed_is_not_asked_for(client: Client, campaign: Campaign) -> None:
    Campaign.objects.update(state=Campaign.State.CLOSED)

    deliver(client, of(campaign))

    assert not nudged(campaign)


def test_another_secret_is_refused_without_a_word(client: Client, campaign: Campaign) -> None:
    answer = deliver(client, of(campaign), secret=OTHER)

    assert (answer.status_code, answer.content) == (401, b"")
    assert not nudged(campaign)


@pytest.mark.parametrize("minutes", [-10, 10])
def test_an_old_or_future_message_is_refused(
    client: Client, campaign: Campaign, minutes: int
) -> None:
    answer = deliver(client, of(campaign), at=datetime.now(UTC) + timedelta(minutes=minutes))

    assert answer.status_code == 401
    assert not nudged(campaign)


@pytest.mark.parametrize(
    "signature", ["", "v1", "v1,", "v1,%%%", "v1,é", "v2,AAAA", ",", "v1,AAAA v1,BBBB"]
)
def test_what_is_no_signature_is_refused(
    client: Client, campaign: Campaign, signature: str
) -> None:
    now = str(int(datetime.now(UTC).timestamp()))
    headers = {"webhook-id": "msg_1", "webhook-timestamp": now, "webhook-signature": signature}

    assert post(client, json.dumps(of(campaign)), headers).status_code == 401
    assert not nudged(campaign)


def test_an_unsigned_message_is_refused(client: Client, campaign: Campaign) -> None:
    assert post(client, json.dumps(of(campaign)), {}).status_code == 401
    assert not nudged(campaign)


def test_a_message_that_was_changed_on_the_way_is_refused(
    client: Client, campaign: Campaign
) -> None:
    moment, body = datetime.now(UTC), json.dumps(event("another"))
    headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": Webhook(SECRET).sign("msg_1", moment, body),
    }

    assert post(client, json.dumps(of(campaign)), headers).status_code == 401
    assert not nudged(campaign)


def test_a_flood_of_wrong_messages_does_not_flood_the_desk(
    client: Client, campaign: Campaign, desk: FakeDesk
) -> None:
    for _ in range(20):
        deliver(client, of(campaign), secret=OTHER)

    assert desk.calls == ["webhook_secret"]


def test_a_secret_that_has_changed_is_asked_for_again(desk: FakeDesk) -> None:
    (url,) = desk.webhooks
    secrets = Secrets(pause=0)
    before = list(secrets.of(url))

    desk.webhooks[url] = OTHER

    assert before == [SECRET]
    assert list(secrets.of(url)) == [SECRET, OTHER]
    assert next(secrets.of(url)) == OTHER


def test_a_desk_that_hangs_holds_up_one_at_a_time_and_not_for_long(desk: FakeDesk) -> None:
    (url,) = desk.webhooks
    desk.answers = Event()
    secrets = Secrets(pause=0, patience=0.5)

    while_it_hangs = [list(secrets.of(url)) for _ in range(3)]
    asked = desk.calls.count("webhook_secret")
    desk.answers.set()

    assert (while_it_hangs, asked) == ([[], [], []], 1)
    wait_until(lambda: list(secrets.of(url)) == [SECRET], 10)


def test_a_message_that_cannot_be_verified_now_is_refused(
    client: Client, campaign: Campaign, desk: FakeDesk
) -> None:
    desk.down = True

    assert deliver(client, of(campaign)).status_code == 401
    assert not nudged(campaign)


def test_where_people_label_nowhere_nothing_is_heard(client: Client, db: None) -> None:
    assert deliver(client, event("x")).status_code == 401


def test_a_message_that_is_too_long_is_not_read(
    client: Client, campaign: Campaign, settings: Any
) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100

    assert deliver(client, {**of(campaign), "more": "x" * 200}).status_code == 413


def test_it_is_posted_to_and_nothing_else(client: Client, db: None) -> None:
    assert client.get("/desk/webhook").status_code == 405


def test_it_needs_no_token_of_a_form(campaign: Campaign) -> None:
    strict = Client(enforce_csrf_checks=True)

    assert deliver(strict, of(campaign)).status_code == 204
