"""What waits for one person: their queues, what to mend, what to decide. From our own rows."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, F, Q

from apps.accounts.models import User, Workspace
from apps.datasets.sight import Sight
from apps.labeling.models import (
    Annotation,
    Assignment,
    Breach,
    Campaign,
    DeskRecord,
    Queue,
    Review,
)
from apps.labeling.settling.seats import reviews_for

from .pace import seconds_per_answer
from .shares import Share, shares_of

SHOWN = 50
MOMENTS = 500


class Part(NamedTuple):
    """Somebody's part of a campaign; `to_settle` is None where they settle nothing.

    `per_hour` is how many answers they gave when they last worked; None where that says nothing.
    """

    campaign: Campaign
    shares: Sequence[Share]
    per_hour: float | None
    to_settle: int | None

    @property
    def waiting(self) -> int:
        return sum(share.waiting for share in self.shares)


class ToMend(NamedTuple):
    """An answer of theirs that contradicts itself, and the queue where it was given."""

    breach: Breach
    head: str
    queue: Queue | None


class Waiting(NamedTuple):
    parts: Sequence[Part]
    to_mend: Sequence[ToMend]
    more_to_mend: bool

    @property
    def total(self) -> int:
        return sum(part.waiting for part in self.parts)

    @property
    def asks(self) -> bool:
        """Whether answers of theirs may still come."""
        return any(part.campaign.asks for part in self.parts)


def count_waiting(user: User, workspace: Workspace) -> int:
    """How many answers of theirs are awaited; four queries at most."""
    campaigns = [each.campaign for each in _assigned(user, workspace)]
    found = shares_of(user, campaigns).values() if campaigns else ()
    return sum(share.waiting + share.to_mend for shares in found for share in shares)


def waiting_for(user: User, workspace: Workspace) -> Waiting:
    """Nine queries at most, however many campaigns."""
    every = _assigned(user, workspace)
    reviews = _open_reviews(user, [each.campaign for each in every if each.settles])
    assigned = [each for each in every if each.campaign.asks or reviews.get(each.campaign_id)]
    campaigns = [each.campaign for each in assigned]
    shares = shares_of(user, campaigns)
    moments = _moments(user, campaigns)
    to_mend = _to_mend(user, campaigns, Sight(workspace))
    return Waiting(
        parts=[
            Part(
                campaign=each.campaign,
                shares=shares.get(each.campaign_id, []),
                per_hour=_per_hour(moments.get(each.campaign_id, ())),
                to_settle=reviews.get(each.campaign_id, 0) if each.settles else None,
            )
            for each in assigned
        ],
        to_mend=to_mend[:SHOWN],
        more_to_mend=len(to_mend) > SHOWN,
    )


def _assigned(user: User, workspace: Workspace) -> list[Assignment]:
    """Their campaigns that ask, or in which they settle, the newest first."""
    mine = Assignment.objects.filter(user=user, campaign__workspace=workspace)
    active = mine.filter(campaign__archived_at=None, campaign__kind=Campaign.Kind.DESK)
    asks = Q(campaign__state=Campaign.State.OPEN)
    rows = active.filter(asks | Q(settles=True))
    return list(rows.select_related("campaign").order_by("-campaign"))


def _moments(user: User, campaigns: Sequence[Campaign]) -> dict[str, set[datetime]]:
    """When they gave their newest answers, by campaign."""
    mine = Annotation.objects.filter(user=user, item__campaign__in=campaigns)
    rows = mine.filter(annotated_at__isnull=False).order_by("-annotated_at")
    found: dict[str, set[datetime]] = {}
    for campaign_id, moment in rows.values_list("item__campaign", "annotated_at")[:MOMENTS]:
        if moment:
            found.setdefault(campaign_id, set()).add(moment)
    return found


def _per_hour(moments: Iterable[datetime]) -> float | None:
    seconds = seconds_per_answer(moments)
    return 3600 / seconds if seconds else None


def _open_reviews(user: User, campaigns: Sequence[Campaign]) -> dict[str, int]:
    """By campaign, those that they may know of."""
    known = reviews_for(user, campaigns, is_lead=False)
    rows = (
        known.filter(state=Review.State.OPEN)
        .values_list("item__campaign")
        .order_by("item__campaign")
    )
    return dict(rows.annotate(n=Count("pk")))


def _to_mend(user: User, campaigns: Sequence[Campaign], sight: Sight) -> list[ToMend]:
    """The worst first; one more than is shown."""
    mine = Breach.objects.filter(user=user, item__campaign__in=campaigns)
    ordered = mine.select_related("item__campaign").order_by("severity", "-found_at", "-pk")
    breaches = list(ordered.annotate(head=F("item__result__record__head"))[: SHOWN + 1])
    items = {breach.item_id for breach in breaches}
    records = DeskRecord.objects.filter(item__in=items).select_related("queue__campaign")
    queues = {(each.item_id, each.queue.asked.task_type): each.queue for each in records}
    return [
        ToMend(each, sight.text(each.head), queues.get((each.item_id, each.task_type)))
        for each in breaches
    ]
