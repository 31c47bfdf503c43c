"""Who was told of what, and who could not be: for the pages of webhooks and of decisions."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.db.models import Count, QuerySet

from apps.accounts.models import User, Workspace
from apps.analysis.gates.messages.addresses import given_up
from apps.analysis.gates.messages.sending import Try
from apps.analysis.gates.messages.signing import trouble_with
from apps.analysis.models import GateDecision, GateDelivery, GateWebhook
from apps.jobs.models import JobState


@dataclass(frozen=True)
class Told:
    """A webhook; `trouble` says why nothing can be signed for it on this server.

    `failed` counts its messages that were given up, of those that the person may see.
    """

    webhook: GateWebhook
    trouble: str
    failed: int


@dataclass(frozen=True)
class Message:
    """A delivery with its tries, the newest first."""

    delivery: GateDelivery
    tries: tuple[Try, ...]

    @property
    def state(self) -> str:
        """In a word that pages know."""
        if self.delivery.state == JobState.DONE:
            return "delivered"
        if self.delivery.state == JobState.PENDING and self.delivery.done:
            return "retrying"
        return str(self.delivery.state)

    @property
    def host(self) -> str:
        """Whom it went to, without the path: that may be a secret of theirs."""
        return urlsplit(self.delivery.webhook.url).netloc

    @property
    def may_go_again(self) -> bool:
        return self.delivery.state == JobState.FAILED and not self.delivery.webhook.archived_at


def told_by(user: User, workspace: Workspace) -> list[Told]:
    """The webhooks that are told now, in the order in which they were added."""
    failed = _failed(deliveries_of(user, workspace))
    rows = GateWebhook.objects.filter(workspace=workspace, archived_at=None)
    found = rows.select_related("created_by").order_by("created_at", "pk")
    return [Told(each, trouble_with(each.secret_name), failed.get(each.pk, 0)) for each in found]


def deliveries_of(user: User, workspace: Workspace) -> QuerySet[GateDelivery]:
    """What was sent of decisions that the person may see."""
    seen = GateDecision.objects.visible_to(user).filter(workspace=workspace)
    rows = GateDelivery.objects.filter(decision__in=seen)
    found = rows.select_related("webhook", "decision__policy_version__policy")
    return found.defer("decision__body")


def messages_of(deliveries: Iterable[GateDelivery]) -> list[Message]:
    return [Message(each, _tries(each)) for each in deliveries]


def _failed(deliveries: QuerySet[GateDelivery]) -> dict[str, int]:
    """By webhook."""
    rows = given_up(deliveries).order_by().values("webhook").annotate(count=Count("pk"))
    return dict(rows.values_list("webhook", "count"))


def _tries(delivery: GateDelivery) -> tuple[Try, ...]:
    return tuple(Try.model_validate(each) for each in reversed(delivery.tries))
