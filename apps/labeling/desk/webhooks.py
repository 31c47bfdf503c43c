"""What Argilla tells us of answers: verified by its signature, and only a nudge to look."""

import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from math import inf
from threading import Lock, Thread

from django.conf import settings
from django.db import transaction
from pydantic import AliasPath, ConfigDict, Field, ValidationError
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from apps.contract import Contract
from apps.labeling.models import Campaign, CampaignStep
from apps.labeling.nudging import ask_for
from apps.labeling.syncing import ask_for_all

from . import desks
from .protocol import DeskDown, DeskRefused

DELETED = "response.deleted"
AGAIN_SECONDS, PATIENCE_SECONDS = 5.0, 2.0


class Told(Contract):
    """What is read of it: the answers themselves are asked for."""

    model_config = ConfigDict(extra="ignore")

    type: str = ""
    dataset_id: str = Field("", validation_alias=AliasPath("data", "record", "dataset", "id"))


class Secrets:
    """What the desk signs with, by our address: in memory only, asked for once in a while.

    Anybody may send us anything, so a desk that hangs holds up one of them, and not for long.
    """

    def __init__(self, pause: float = AGAIN_SECONDS, patience: float = PATIENCE_SECONDS) -> None:
        self._pause = pause
        self._patience = patience
        self._known: dict[str, str] = {}
        self._asked: dict[str, float] = {}
        self._asking = Lock()

    def of(self, url: str) -> Iterator[str]:
        """The one we know; then, for who could not use it, the one that is so by now."""
        known = self._known.get(url)
        if known:
            yield known
        if time.monotonic() - self._asked.get(url, -inf) >= self._pause:
            self._ask(url)
        secret = self._known.get(url)
        if secret and secret != known:
            yield secret

    def _ask(self, url: str) -> None:
        """What comes later than we wait is there for the next; who finds us asking goes without."""
        if not self._asking.acquire(blocking=False):
            return
        self._asked[url] = time.monotonic()
        asking = Thread(target=self._learn, args=[url], daemon=True)
        asking.start()
        asking.join(self._patience)

    def _learn(self, url: str) -> None:
        try:
            if secret := _secret_of(url):
                self._known[url] = secret
        finally:
            self._asking.release()


_secrets = Secrets()


def verified(body: bytes, headers: Mapping[str, str]) -> Told | None:
    """None where our desk has not signed it, or not lately."""
    for secret in _secrets.of(settings.ARGILLA.webhook_url):
        try:
            content = Webhook(secret).verify(body, dict(headers))
        except (WebhookVerificationError, ValueError):
            continue
        return _told(content)
    return None


def nudge(told: Told, now: datetime) -> None:
    """Have the campaign's answers read soon, once however often it is told.

    What was deleted is noticed only where everything is read.
    """
    if not told.dataset_id or not told.type.startswith("response."):
        return
    asking = Campaign.objects.asking().filter(queues__dataset_id=told.dataset_id)
    for campaign in asking:
        with transaction.atomic():
            Campaign.objects.filter(pk=campaign.pk).update(nudged_at=now)
            if told.type == DELETED:
                ask_for_all(campaign)
            else:
                ask_for(campaign.pk, CampaignStep.Name.SYNC)


def _secret_of(url: str) -> str | None:
    try:
        return desks.current().webhook_secret(url)
    except (DeskDown, DeskRefused):
        return None


def _told(content: object) -> Told:
    try:
        return Told.model_validate(content)
    except ValidationError:
        return Told()
