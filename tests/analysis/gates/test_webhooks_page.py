"""The page of webhooks: added, retired, sent again by admins; the secret is nowhere on it."""

import base64
from typing import Any

import pytest
from django.conf import LazySettings
from django.http import HttpResponse
from django.test import Client

from apps.accounts.models import AuditEvent, User, Workspace
from apps.analysis.gates.messages.addresses import add_webhook
from apps.analysis.models import GateDelivery, GateWebhook
from apps.jobs.models import JobState

from .building import a_decision, a_policy, a_run

NAME = "RELEASES_SIGNING_KEY"
SECRET = base64.b64encode(b"a secret of more than 24 bytes").decode()
PAGE = "/w/demo/gates/webhooks/"


@pytest.fixture
def admin(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


@pytest.fixture
def webhook(workspace: Workspace, ada: User) -> GateWebhook:
    url = "https://ci.example.org/hooks"
    return add_webhook(workspace=workspace, url=url, secret_name=NAME, by=ada)


@pytest.fixture
def delivery(webhook: GateWebhook, workspace: Workspace) -> GateDelivery:
    a_decision(a_run(workspace, 20, 20), a_policy(workspace), change_id="change-17")
    return webhook.deliveries.get()


def sent(client: Client, path: str = "", **fields: Any) -> HttpResponse:
    answer: HttpResponse = client.post(f"{PAGE}{path}", fields)
    return answer


def text_of(client: Client) -> str:
    return client.get(PAGE).content.decode()


def test_an_admin_adds_an_address_and_the_name_of_a_variable(admin: Client) -> None:
    answer = sent(admin, url="https://ci.example.org/hooks", secret_name=NAME)

    webhook = GateWebhook.objects.get()
    assert answer.status_code == 302
    assert (webhook.url, webhook.secret_name) == ("https://ci.example.org/hooks", NAME)
    assert AuditEvent.objects.get(verb="gate_webhook.added").changes["secret_name"] == [None, NAME]


def test_the_page_says_whether_the_variable_holds_a_secret_and_never_shows_it(
    admin: Client, webhook: GateWebhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = text_of(admin)
    monkeypatch.setenv(NAME, SECRET)
    with_it = text_of(admin)
    monkeypatch.setenv(NAME, "hunter2")
    unusable = text_of(admin)

    assert f"The environment variable {NAME} is not set on this server." in without
    assert "Set on this server" in with_it
    assert "holds no signing secret" in unusable
    assert SECRET not in with_it
    assert "hunter2" not in unusable


def test_the_page_says_that_links_need_the_servers_address(
    admin: Client, webhook: GateWebhook, settings: LazySettings
) -> None:
    without = text_of(admin)
    settings.BASE_URL = "https://evalhub.example.org"
    within = text_of(admin)

    assert ["EVALHUB_BASE_URL" in page for page in (without, within)] == [True, False]


@pytest.mark.parametrize("pasted", [f"whsec_{SECRET}", SECRET])
def test_a_secret_that_was_pasted_is_refused_and_not_shown_again(
    admin: Client, workspace: Workspace, pasted: str
) -> None:
    answer = sent(admin, url="https://ci.example.org/hooks", secret_name=pasted)

    assert answer.status_code == 422
    assert SECRET not in answer.content.decode()
    assert "never the key itself" in answer.content.decode()
    assert not GateWebhook.objects.exists()
    assert not AuditEvent.objects.filter(changes__icontains=SECRET).exists()


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"url": "http://169.254.169.254/", "secret_name": NAME},
        {"url": "https://ci.example.org/\0", "secret_name": NAME},
        {"url": "https://ci.example.org/", "secret_name": "DJANGO_SECRET_KEY"},
    ],
)
def test_what_cannot_be_told_is_said_at_the_top(admin: Client, fields: dict[str, str]) -> None:
    answer = sent(admin, **fields)

    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()


def test_an_address_without_a_scheme_is_told_which_ones_there_are(admin: Client) -> None:
    answer = sent(admin, url="ci.example.org/hooks", secret_name=NAME)

    assert "full address that begins with https:// or http://" in answer.content.decode()


def test_a_message_that_was_given_up_untried_promises_no_try(
    admin: Client, delivery: GateDelivery
) -> None:
    waiting = text_of(admin)
    GateDelivery.objects.update(state=JobState.FAILED, error="Not sent.", tries=[])

    assert "none yet" in waiting
    assert "none yet" not in text_of(admin)


def test_an_address_is_retired(admin: Client, webhook: GateWebhook) -> None:
    answer = sent(admin, f"{webhook.pk}/retire/")

    webhook.refresh_from_db()
    assert answer.status_code == 302
    assert webhook.archived_at is not None
    assert "Nobody is told yet" in text_of(admin)


def test_messages_stand_with_their_tries_and_go_again_where_given_up(
    admin: Client, delivery: GateDelivery
) -> None:
    tried = {"at": "2026-03-02T09:30:00Z", "status": 404, "error": "HTTP 404: refused.", "ms": 12}
    failed = {"state": JobState.FAILED, "error": "Given up. HTTP 404: refused.", "tries": [tried]}
    GateDelivery.objects.update(**failed)

    page = text_of(admin)
    answer = sent(admin, f"messages/{delivery.pk}/again/")

    assert "change-17" in page
    assert "1 try" in page
    assert "Given up. HTTP 404: refused." in page
    assert answer.status_code == 302
    assert GateDelivery.objects.get().state == JobState.PENDING
    assert "Try again" not in text_of(admin)


def test_all_that_an_address_missed_goes_again_at_once(
    admin: Client, ada: User, workspace: Workspace, delivery: GateDelivery, webhook: GateWebhook
) -> None:
    decision = delivery.decision
    other = add_webhook(workspace=workspace, url="https://other.example", secret_name=NAME, by=ada)
    GateDelivery.objects.create(webhook=other, decision=decision)
    for seq, state in enumerate((JobState.FAILED, JobState.DONE), start=1):
        GateDelivery.objects.create(webhook=webhook, decision=decision, override=seq, state=state)
    given_up = {"state": JobState.FAILED, "error": "Given up.", "done": 6}
    GateDelivery.objects.exclude(state=JobState.DONE).update(**given_up)

    page = text_of(admin)
    answer = sent(admin, f"{webhook.pk}/again/")

    assert "Send all 2 failed again" in page
    assert "Send 1 failed again" in page
    assert answer.status_code == 302
    states = GateDelivery.objects.order_by("override").values_list("state", "done", "error")
    anew = (JobState.PENDING, 0, "")
    assert list(states.filter(webhook=webhook)) == [anew, anew, (JobState.DONE, 0, "")]
    assert list(states.filter(webhook=other)) == [(JobState.FAILED, 6, "Given up.")]
    told = AuditEvent.objects.get(verb="gate_webhook.sent_again")
    assert (told.object_id, told.changes) == (webhook.pk, {"messages": [None, 2]})
    after = text_of(admin)
    assert "2 messages are sent again soon" in after
    assert "failed again" in after
    assert "Send all" not in after


def test_an_address_that_was_retired_is_sent_nothing_again(
    admin: Client, delivery: GateDelivery
) -> None:
    GateDelivery.objects.update(state=JobState.FAILED)
    sent(admin, f"{delivery.webhook_id}/retire/")

    answer = sent(admin, f"{delivery.webhook_id}/again/")

    assert answer.status_code == 302
    assert "Nothing to send" in text_of(admin)
    assert GateDelivery.objects.get().state == JobState.FAILED


@pytest.mark.parametrize("name", ["alice", "bob"])
def test_only_admins_see_who_is_told(
    client: Client, delivery: GateDelivery, request: pytest.FixtureRequest, name: str
) -> None:
    client.force_login(request.getfixturevalue(name))

    assert client.get(PAGE).status_code == 403


def test_another_workspace_reaches_neither_address_nor_message(
    client: Client, delivery: GateDelivery, charlie: User
) -> None:
    client.force_login(charlie)
    theirs = "/w/elsewhere/gates/webhooks/"

    answers = [
        client.post(f"{theirs}{delivery.webhook_id}/retire/"),
        client.post(f"{theirs}{delivery.webhook_id}/again/"),
        client.post(f"{theirs}messages/{delivery.pk}/again/"),
        client.get(PAGE),
    ]

    assert [answer.status_code for answer in answers] == [404, 404, 404, 404]
