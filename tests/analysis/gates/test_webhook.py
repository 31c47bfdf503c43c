"""Who is told of a decision: signed, tried again, at least once, and never with the secret."""

import base64
import json
import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone
from standardwebhooks.webhooks import Webhook

from apps.accounts.models import AuditEvent, User, Workspace
from apps.analysis.gates.messages.addresses import MOST, add_webhook, retire_webhook, send_again
from apps.analysis.gates.messages.announcing import announce
from apps.analysis.gates.messages.delivering import MOST_TRIES, PAUSES_S
from apps.analysis.gates.overriding import override
from apps.analysis.gates.policies.changing import describe_policy
from apps.analysis.gates.stored import decided
from apps.analysis.models import GateDecision, GateDelivery, GateWebhook
from apps.jobs import services as jobs
from apps.jobs.leases import claim
from apps.jobs.models import JobState
from tests.runs.building import make_version
from tests.targets.asking import free_port

from .building import a_decision, a_policy, a_run
from .receiver import Receiver, receiver

NAME = "RELEASES_SIGNING_KEY"
SECRET = "whsec_" + base64.b64encode(b"a secret of more than 24 bytes").decode()


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """Somebody who listens, and the secret in the server's environment."""
    monkeypatch.setenv(NAME, SECRET)
    with receiver() as listening:
        yield listening


@pytest.fixture
def webhook(workspace: Workspace, ada: User, there: Receiver) -> GateWebhook:
    return add_webhook(workspace=workspace, url=there.address, secret_name=NAME, by=ada)


@pytest.fixture
def decision(workspace: Workspace) -> GateDecision:
    policy = a_policy(workspace)
    return a_decision(a_run(workspace, 20, 20), policy, change_id="change-17")


def told(decision: GateDecision) -> GateDelivery:
    """The message of the decision, sent once where it could be."""
    announce(decision)
    return worked(decision.deliveries.get())


def worked(delivery: GateDelivery) -> GateDelivery:
    """After one try, as if its pause were over."""
    lease = claim(GateDelivery, delivery.pk)
    assert lease is not None
    jobs.perform(lease)
    return now_is(delivery)


def now_is(delivery: GateDelivery) -> GateDelivery:
    return GateDelivery.objects.get(pk=delivery.pk)


def pause_of(delivery: GateDelivery) -> float:
    return (delivery.not_before - timezone.now()).total_seconds()


def test_who_is_told_is_in_the_audit_log(webhook: GateWebhook, ada: User) -> None:
    retire_webhook(webhook=webhook, by=ada, now=timezone.now())

    events = AuditEvent.objects.filter(verb__startswith="gate_webhook").order_by("pk")
    assert list(events.values_list("verb", "actor", "object_id")) == [
        ("gate_webhook.added", ada.pk, webhook.pk),
        ("gate_webhook.retired", ada.pk, webhook.pk),
    ]
    added = events[0].changes
    assert added == {"url": [None, webhook.url], "secret_name": [None, NAME]}


# -- what is said ---------------------------------------------------------------------------


def test_a_decision_is_posted_with_a_signature_that_the_library_accepts(
    webhook: GateWebhook, there: Receiver, decision: GateDecision
) -> None:
    delivery = told(decision)

    [heard] = there.heard
    message = Webhook(SECRET).verify(heard.body, heard.headers)
    assert message["type"] == "gate.decided"
    assert heard.headers["webhook-id"] == delivery.pk
    assert heard.headers["content-type"] == "application/json"
    assert (delivery.state, delivery.error) == (JobState.DONE, "")


def test_the_message_has_the_judgment_in_the_words_of_releases(
    webhook: GateWebhook, there: Receiver, decision: GateDecision, settings: Any
) -> None:
    settings.BASE_URL = "https://evalhub.example.org"

    told(decision)

    message = json.loads(there.heard[0].body)
    page = f"https://evalhub.example.org/w/demo/gates/decisions/{decision.pk}/"
    version, judgment = decision.policy_version, decided(decision).judgment
    assert "pass rate" in (judgment.blocking_reason or "")
    assert message["timestamp"] == decision.decided_at.isoformat()
    assert message["data"] == {
        "change_id": "change-17",
        "gate": "releases",
        "verdict": "fail",
        "blocking_reason": judgment.blocking_reason,
        "next_action": list(judgment.next_action),
        "decision_id": decision.pk,
        "answer": "fail",
        "run_id": decision.run_id,
        "baseline_id": None,
        "baseline_is_approved": None,
        "warnings": [],
        "policy": {"id": version.policy_id, "name": "releases", "version": 1},
        "override": None,
        "link": page,
    }


def test_the_message_has_the_warnings(
    webhook: GateWebhook, there: Receiver, workspace: Workspace
) -> None:
    version = make_version(workspace, 20)
    policy = a_policy(workspace, metrics=[{"metric": "pass_rate", "margin": 0.05}])
    before, after = (a_run(workspace, 20, version=version) for _ in range(2))

    told(a_decision(after, policy, before))

    data = json.loads(there.heard[0].body)["data"]
    assert data["baseline_is_approved"] is False
    assert any("is not the approved baseline" in each for each in data["warnings"])


def test_an_answer_that_never_ends_counts_by_its_status(
    webhook: GateWebhook, there: Receiver, decision: GateDecision
) -> None:
    there.answer(200, content_length=str(9 * 1024 * 1024))

    arrived = told(decision)

    assert (arrived.state, arrived.error) == (JobState.DONE, "")
    assert [each["status"] for each in arrived.tries] == [200]


def test_an_override_is_a_message_of_its_own(
    webhook: GateWebhook, there: Receiver, decision: GateDecision, alice: User
) -> None:
    said = override(decision, answer="pass", reason="Known flake.", by=alice, now=timezone.now())

    worked(decision.deliveries.get(override=said.seq))

    message = json.loads(there.heard[0].body)
    assert message["type"] == "gate.overridden"
    assert (message["data"]["verdict"], message["data"]["answer"]) == ("fail", "pass")
    assert message["data"]["override"] == {
        "seq": 1,
        "takes_back": False,
        "answer": "pass",
        "reason": "Known flake.",
        "by": "Alice",
        "at": said.at.isoformat(),
    }


def test_each_active_address_of_the_workspace_is_told_and_no_other(
    webhook: GateWebhook, decision: GateDecision, workspace: Workspace, ada: User, charlie: User
) -> None:
    other = add_webhook(
        workspace=workspace, url="https://ci.example.org/hook", secret_name=NAME, by=ada
    )
    retired = add_webhook(
        workspace=workspace, url="https://old.example.org/", secret_name=NAME, by=ada
    )
    retire_webhook(webhook=retired, by=ada, now=timezone.now())
    elsewhere = Workspace.objects.get(slug="elsewhere")
    add_webhook(workspace=elsewhere, url="https://x.example.org/", secret_name=NAME, by=charlie)

    announce(decision)
    announce(decision)

    assert {each.webhook_id for each in decision.deliveries.all()} == {webhook.pk, other.pk}
    assert decision.deliveries.count() == 2


# -- trying again ---------------------------------------------------------------------------


def test_what_does_not_arrive_is_tried_again_with_growing_pauses_and_the_same_id(
    webhook: GateWebhook, there: Receiver, decision: GateDecision
) -> None:
    for _ in range(MOST_TRIES):
        there.answer(503)

    announce(decision)
    delivery = decision.deliveries.get()
    pauses = []
    for _ in range(MOST_TRIES):
        delivery = worked(delivery)
        pauses.append(pause_of(delivery))

    assert [round(pause, -1) if pause > 10 else round(pause) for pause in pauses[:-1]] == (
        pytest.approx(PAUSES_S, abs=2)
    )
    assert (delivery.state, len(delivery.tries)) == (JobState.FAILED, MOST_TRIES)
    assert delivery.error.startswith("Given up. HTTP 503")
    assert {heard.headers["webhook-id"] for heard in there.heard} == {delivery.pk}
    assert len({heard.body for heard in there.heard}) == 1


def test_a_policy_that_is_renamed_between_two_tries_changes_nothing_in_the_message(
    webhook: GateWebhook, there: Receiver, decision: GateDecision, alice: User
) -> None:
    there.answer(503)
    policy = decision.policy_version.policy

    delivery = told(decision)
    describe_policy(policy, name="gate of old", description="", dataset=None, by=alice)
    worked(delivery)

    first, second = there.heard
    assert second.body == first.body
    assert json.loads(second.body)["data"]["policy"]["name"] == "releases"


def test_a_try_is_kept_with_its_moment_its_status_and_its_time(
    webhook: GateWebhook, there: Receiver, decision: GateDecision
) -> None:
    there.answer(404)

    delivery = told(decision)

    [kept] = delivery.tries
    assert kept["status"] == 404
    assert "refuses the message" in kept["error"]
    assert kept["ms"] >= 0
    assert delivery.state == JobState.PENDING
    assert "what the receiver says" not in json.dumps(delivery.tries) + delivery.error


@pytest.mark.parametrize(("asked", "waits"), [("90", 90), ("100000", 3_600), ("soon", 5)])
def test_the_address_may_ask_for_more_time_up_to_an_hour(
    webhook: GateWebhook, there: Receiver, decision: GateDecision, asked: str, waits: int
) -> None:
    there.answer(429, retry_after=asked)

    delivery = told(decision)

    assert pause_of(delivery) == pytest.approx(waits, abs=4)


def test_a_redirect_is_not_followed(
    webhook: GateWebhook, there: Receiver, decision: GateDecision
) -> None:
    there.answer(307, location=there.address.replace("/hooks/gate", "/elsewhere"))

    delivery = told(decision)

    assert [heard.path for heard in there.heard] == ["/hooks/gate"]
    assert "redirects are not followed" in delivery.error


def test_an_address_where_nobody_listens_is_a_try_too(
    workspace: Workspace, ada: User, decision: GateDecision, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, SECRET)
    url = f"http://127.0.0.1:{free_port()}/"
    add_webhook(workspace=workspace, url=url, secret_name=NAME, by=ada)

    delivery = told(decision)

    assert delivery.tries[0]["status"] is None
    assert delivery.error == "No connection: the server does not accept one."


def test_what_was_given_up_is_sent_again_when_somebody_asks(
    webhook: GateWebhook, there: Receiver, decision: GateDecision, ada: User
) -> None:
    announce(decision)
    delivery = decision.deliveries.get()
    failed = {"state": JobState.FAILED, "done": MOST_TRIES, "error": "Given up."}
    GateDelivery.objects.filter(pk=delivery.pk).update(**failed)

    assert send_again(delivery=now_is(delivery), by=ada)
    assert worked(delivery).state == JobState.DONE
    assert not send_again(delivery=now_is(delivery), by=ada)

    assert [heard.headers["webhook-id"] for heard in there.heard] == [delivery.pk]
    assert AuditEvent.objects.filter(verb="gate_message.sent_again").count() == 1


def test_a_worker_that_lost_its_lease_while_sending_leaves_the_rest_to_the_next(
    webhook: GateWebhook, there: Receiver, decision: GateDecision
) -> None:
    announce(decision)
    delivery = decision.deliveries.get()
    slow = claim(GateDelivery, delivery.pk)
    assert slow is not None
    long_ago = timezone.now() - timedelta(hours=1)
    GateDelivery.objects.filter(pk=delivery.pk).update(lease_until=long_ago)

    jobs.recover(GateDelivery)
    ended = worked(delivery)
    jobs.perform(slow)

    assert (ended.state, len(there.heard)) == (JobState.DONE, 1)
    assert now_is(delivery).tries == ended.tries


def test_a_retired_address_is_told_nothing_more(
    webhook: GateWebhook, there: Receiver, decision: GateDecision, ada: User
) -> None:
    announce(decision)
    delivery = decision.deliveries.get()
    lease = claim(GateDelivery, delivery.pk)
    assert lease is not None

    retire_webhook(webhook=webhook, by=ada, now=timezone.now())
    jobs.perform(lease)

    assert (now_is(delivery).state, there.heard) == (JobState.CANCELLED, [])
    assert not send_again(delivery=now_is(delivery), by=ada)


# -- the secret -----------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["", "not base64!", "whsec_c2hvcnQ="])
def test_without_a_usable_secret_nothing_is_sent_and_the_reason_is_told(
    webhook: GateWebhook,
    there: Receiver,
    decision: GateDecision,
    monkeypatch: pytest.MonkeyPatch,
    value: str,
) -> None:
    monkeypatch.setenv(NAME, value)

    delivery = told(decision)

    assert there.heard == []
    assert delivery.error.startswith(f"Not sent. The environment variable {NAME} ")
    assert delivery.error.endswith("start them anew, and try the message again.")
    assert (delivery.state, delivery.done, delivery.tries) == (JobState.FAILED, 0, [])


def test_once_the_secret_is_there_the_message_is_sent_again_with_all_its_tries(
    webhook: GateWebhook,
    there: Receiver,
    decision: GateDecision,
    ada: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(NAME)
    unsent = told(decision)
    monkeypatch.setenv(NAME, SECRET)
    there.answer(503)

    assert send_again(delivery=unsent, by=ada)
    delivery = worked(unsent)

    assert [heard.headers["webhook-id"] for heard in there.heard] == [unsent.pk]
    assert (delivery.state, delivery.done) == (JobState.PENDING, 1)
    assert pause_of(delivery) == pytest.approx(PAUSES_S[0], abs=2)


def test_the_secret_is_in_no_row_and_in_no_log(
    webhook: GateWebhook,
    there: Receiver,
    decision: GateDecision,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    there.answer(500)

    delivery = told(decision)
    worked(delivery)

    rows = [*GateWebhook.objects.values(), *GateDelivery.objects.values()]
    kept = repr(rows) + repr(list(AuditEvent.objects.values())) + caplog.text
    assert SECRET.removeprefix("whsec_") not in kept
    assert all(SECRET.removeprefix("whsec_") not in str(heard) for heard in there.heard)


# -- addresses ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "name", "field"),
    [
        ("http://169.254.169.254/latest", NAME, "url"),
        ("https://metadata.google.internal/", NAME, "url"),
        ("https://name:password@ci.example.org/", NAME, "url"),
        ("ftp://ci.example.org/", NAME, "url"),
        (f"https://ci.example.org/{'x' * 600}", NAME, "url"),
        ("https://ci.example.org/", SECRET, "secret_name"),
        ("https://ci.example.org/", "EVALHUB_SECRET_KEY", "secret_name"),
    ],
)
def test_what_no_webhook_may_have_is_refused_at_its_field(
    workspace: Workspace, ada: User, url: str, name: str, field: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        add_webhook(workspace=workspace, url=url, secret_name=name, by=ada)

    assert list(refused.value.message_dict) == [field]
    assert SECRET not in str(refused.value)
    assert not GateWebhook.objects.exists()


def test_an_address_is_told_once_and_so_many_at_most(
    webhook: GateWebhook, workspace: Workspace, ada: User
) -> None:
    with pytest.raises(ValidationError, match="told already"):
        add_webhook(workspace=workspace, url=webhook.url, secret_name=NAME, by=ada)
    for number in range(MOST - 1):
        url = f"https://ci.example.org/{number}"
        add_webhook(workspace=workspace, url=url, secret_name=NAME, by=ada)

    with pytest.raises(ValidationError, match="retire one"):
        add_webhook(workspace=workspace, url="https://more.example.org/", secret_name=NAME, by=ada)
