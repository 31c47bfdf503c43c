"""One message to one address, signed and tried again.

At least once: who is killed between sending and storing sends it again, with the same id. `done`
counts the tries since the message was asked for, `tries` keeps what came of each. What cannot be
signed is no try: it ends at once, for only a person can help, and they send it again.
"""

from datetime import timedelta
from importlib import import_module
from typing import Any

from django.db.models.functions import Now
from django.utils import timezone

from apps.analysis.gates.messages.saying import body_of
from apps.analysis.gates.messages.sending import Try, send
from apps.analysis.gates.messages.signing import (
    UNUSABLE,
    signed_headers,
    signing_secret,
)
from apps.analysis.models import GateDelivery, GateWebhook
from apps.jobs.leases import Lease
from apps.jobs.models import JobState

PAUSES_S = (5, 30, 120, 600, 3_600)
MOST_TRIES = len(PAUSES_S) + 1
KEPT = 50
"""Tries that are kept of a message, the newest."""

RETIRED = "The webhook was retired before the message arrived."
WHAT_TO_DO = "Set it where the workers run, start them anew, and try the message again."


def perform(delivery: GateDelivery, lease: Lease) -> None:
    webhook = GateWebhook.objects.get(pk=delivery.webhook_id)
    if webhook.archived_at:
        lease.close(JobState.CANCELLED, error=RETIRED)
        return
    try:
        secret = signing_secret(webhook.secret_name)
    except UNUSABLE as error:
        lease.close(JobState.FAILED, error=f"Not sent. {error} {WHAT_TO_DO}")
        return
    if lease.renew():
        _end(delivery, lease, _try(delivery, webhook, secret))


def warm_up() -> None:
    """The client takes a third of a second to import."""
    import_module("apps.targets.client")


def _try(delivery: GateDelivery, webhook: GateWebhook, secret: bytes) -> Try:
    now, body = timezone.now(), body_of(delivery)
    return send(webhook.url, body, signed_headers(delivery.pk, body, secret, now), now)


def _end(delivery: GateDelivery, lease: Lease, tried: Try) -> None:
    kept = [*delivery.tries, tried.model_dump(mode="json")][-KEPT:]
    columns: dict[str, Any] = {"tries": kept, "done": delivery.done + 1, "total": MOST_TRIES}
    if tried.accepted:
        lease.close(error="", **columns)
    elif columns["done"] >= MOST_TRIES:
        lease.close(JobState.FAILED, error=f"Given up. {tried.error}", **columns)
    else:
        wait = timedelta(seconds=max(PAUSES_S[delivery.done], tried.wait_s))
        lease.close(JobState.PENDING, not_before=Now() + wait, error=tried.error, **columns)
