"""Known answers: settled reviews that a lead vouches for. Annotators are measured against them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Unpack

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from apps.accounts.models import User
from apps.accounts.services import record as audit
from apps.accounts.services.audit import Door
from apps.labeling.models import Campaign, CampaignStep, Item, Question, Review, ReviewChange
from apps.labeling.nudging import ask_for

from .reviewing import GOLD, NO_GOLD, SETTLED, note
from .truth import truth_of

BATCH = 1_000


def make_gold(review: Review, *, by: User, now: datetime, **door: Unpack[Door]) -> bool:
    """Vouch for the answer as it was settled in `review`.

    False where it is gold already, was settled otherwise meanwhile, or nobody could decide it.
    """
    with transaction.atomic():
        rows = to_vouch_for(Review.objects.filter(pk=review.pk, settled_at=review.settled_at))
        if not rows.update(gold_by=by, gold_at=now):
            return False
        _keep(review, GOLD, by=by, now=now, door=door)
    return True


def take_gold_back(review: Review, *, by: User, now: datetime, **door: Unpack[Door]) -> bool:
    """Settled it stays."""
    with transaction.atomic():
        rows = Review.objects.filter(pk=review.pk, gold_at__isnull=False)
        if not rows.update(gold_by=None, gold_at=None):
            return False
        _keep(review, NO_GOLD, by=by, now=now, door=door)
    return True


def make_all_gold(
    campaign: Campaign,
    chosen: QuerySet[Review],
    *,
    expected: int,
    by: User,
    now: datetime,
    **door: Unpack[Door],
) -> int:
    """Vouch for every settled review among the chosen, if they are as many as the lead was told.

    Raises ValidationError, and vouches for none, where there are more or fewer, or one of them is
    decided otherwise meanwhile.
    """
    with transaction.atomic():
        found = list(to_vouch_for(chosen).order_by("label", "pk").values_list("pk", "label"))
        if len(found) != expected:
            raise ValidationError(
                f"There are {len(found):,} settled answers now, not {expected:,}: look again."
            )
        for start in range(0, len(found), BATCH):
            _vouch(found[start : start + BATCH], by, now)
        if found:
            _tell(campaign, len(found), by, door)
    return len(found)


def make_agreed_gold(
    item: Item, question: Question, *, by: User, now: datetime, **door: Unpack[Door]
) -> Review:
    """Vouch for what people agree on without a review: it becomes a settled one.

    Raises ValidationError where they do not agree, or somebody is about to decide.
    """
    truth = truth_of(item, question)
    if truth.source == "gold":
        raise ValidationError("The answer is known already: it is gold in another place.")
    if truth.source != "consensus" or not truth.label:
        raise ValidationError("People do not agree on this: settle it in its review first.")
    settled = {
        "state": Review.State.SETTLED,
        "reason": Review.Reason.GOLD,
        "label": truth.label,
        "settled_by": by,
        "settled_at": now,
        "gold_by": by,
        "gold_at": now,
    }
    with transaction.atomic():
        review, made = Review.objects.get_or_create(item=item, question=question, defaults=settled)
        withdrawn = Review.objects.filter(pk=review.pk, state=Review.State.WITHDRAWN)
        if not made and not withdrawn.update(**settled):
            raise ValidationError("There is a review of this: settle it, or make it gold, there.")
        review.refresh_from_db()
        note(review, SETTLED, review.label, by=by, now=now)
        _keep(review, GOLD, by=by, now=now, door=door)
    return review


def to_vouch_for(reviews: QuerySet[Review]) -> QuerySet[Review]:
    """The settled ones that have an answer and are not gold yet."""
    settled = reviews.filter(state=Review.State.SETTLED, gold_at=None)
    return settled.exclude(label="")


def _vouch(found: Sequence[tuple[int, str]], by: User, now: datetime) -> None:
    """As they were read: what another lead was faster with is neither vouched for nor noted."""
    vouched = sum(
        to_vouch_for(Review.objects.filter(pk__in=_keys(rows), label=label)).update(
            gold_by=by, gold_at=now
        )
        for label, rows in groupby(found, itemgetter(1))
    )
    if vouched != len(found):
        raise ValidationError("Some of these were decided otherwise just now: look again.")
    ReviewChange.objects.bulk_create(
        ReviewChange(review_id=pk, what=GOLD, label=label, by=by, at=now) for pk, label in found
    )


def _keys(rows: Iterable[tuple[int, str]]) -> list[int]:
    return [pk for pk, _label in rows]


def _keep(review: Review, what: str, *, by: User, now: datetime, door: Door) -> None:
    label = Review.objects.values_list("label", flat=True).get(pk=review.pk)
    note(review, what, label, by=by, now=now)
    campaign = review.question.campaign
    verb = "review.gold" if what == GOLD else "review.gold_taken_back"
    audit(workspace=campaign.workspace, actor=by, verb=verb, obj=review, **door)
    ask_for(campaign.pk, CampaignStep.Name.ANALYSE)


def _tell(campaign: Campaign, n: int, by: User, door: Door) -> None:
    audit(
        workspace=campaign.workspace,
        actor=by,
        verb="campaign.gold",
        obj=campaign,
        changes={"gold": [None, n]},
        **door,
    )
    ask_for(campaign.pk, CampaignStep.Name.ANALYSE)
