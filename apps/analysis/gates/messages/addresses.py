"""Who is told of a gate's decisions: addresses added and retired, messages sent once more."""

from collections.abc import Callable
from datetime import datetime
from typing import Unpack

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.text import capfirst

from apps.accounts.models import User, Workspace
from apps.accounts.services.audit import Door, record
from apps.analysis.gates.messages.delivering import RETIRED
from apps.analysis.models import GateDelivery, GateWebhook
from apps.jobs.asking import ask_again, by_a_worker
from apps.jobs.models import JobState
from apps.targets.addresses import checked_url
from apps.targets.credentials import checked_variable

MOST = 20
"""Webhooks of a workspace: each decision is sent to all of them."""
LONGEST = 500


@transaction.atomic
def add_webhook(
    *, workspace: Workspace, url: str, secret_name: str, by: User, **door: Unpack[Door]
) -> GateWebhook:
    """Tell this address from now on; ValidationError says at which field what is wrong."""
    url = _checked("url", checked_url, url)
    secret_name = _checked("secret_name", checked_variable, secret_name)
    Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)
    active = GateWebhook.objects.filter(workspace=workspace, archived_at=None)
    if active.filter(url=url).exists():
        raise ValidationError({"url": "This address is told already."})
    if active.count() >= MOST:
        raise ValidationError(f"{MOST} addresses are told already: retire one before.")
    webhook = GateWebhook.objects.create(
        workspace=workspace, url=url, secret_name=secret_name, created_by=by
    )
    changes = {"url": [None, url], "secret_name": [None, secret_name]}
    record(
        workspace=workspace,
        actor=by,
        verb="gate_webhook.added",
        obj=webhook,
        changes=changes,
        **door,
    )
    return webhook


@transaction.atomic
def retire_webhook(*, webhook: GateWebhook, by: User, now: datetime, **door: Unpack[Door]) -> None:
    """Tell the address no more, also of what waits to be sent; what was sent stays listed."""
    active = GateWebhook.objects.filter(pk=webhook.pk, archived_at=None)
    if active.update(archived_at=now):
        waiting = webhook.deliveries.filter(state=JobState.PENDING)
        waiting.update(state=JobState.CANCELLED, error=RETIRED, finished_at=Now())
        record(
            workspace=webhook.workspace, actor=by, verb="gate_webhook.retired", obj=webhook, **door
        )


@transaction.atomic
def send_again(*, delivery: GateDelivery, by: User, **door: Unpack[Door]) -> bool:
    """Try a message that was given up anew, with the same id; False where it was not."""
    if not _begin_anew(GateDelivery.objects.filter(pk=delivery.pk)):
        return False
    workspace = delivery.webhook.workspace
    record(workspace=workspace, actor=by, verb="gate_message.sent_again", obj=delivery, **door)
    return True


@transaction.atomic
def send_all_again(
    webhook: GateWebhook,
    messages: QuerySet[GateDelivery],
    *,
    by: User,
    **door: Unpack[Door],
) -> int:
    """Try anew those of the messages that were given up for this address; how many they are."""
    count = _begin_anew(messages.filter(webhook=webhook))
    if count:
        record(
            workspace=webhook.workspace,
            actor=by,
            verb="gate_webhook.sent_again",
            obj=webhook,
            changes={"messages": [None, count]},
            **door,
        )
    return count


def given_up(messages: QuerySet[GateDelivery]) -> QuerySet[GateDelivery]:
    """Those that may be sent again: their address is still told."""
    return messages.filter(state=JobState.FAILED, webhook__archived_at=None)


def _begin_anew(messages: QuerySet[GateDelivery]) -> int:
    """With all their tries before them; the ones that were made stay listed."""
    failed = given_up(messages)
    failed.update(done=0)
    count = ask_again(failed)
    if count:
        by_a_worker(GateDelivery)
    return count


def _checked(field: str, check: Callable[[str], str], value: str) -> str:
    try:
        checked = check(value)
    except ValueError as error:
        raise ValidationError({field: capfirst(str(error))}) from None
    if len(checked) > LONGEST:
        raise ValidationError({field: f"At most {LONGEST} characters."})
    return checked
