"""Deciding what people could not agree on: blind first, then with what the others said."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Unpack

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from apps.accounts.models import Membership, User
from apps.accounts.permissions import Permission
from apps.accounts.services import record as audit
from apps.accounts.services.audit import Door
from apps.contract import Contract
from apps.labeling.models import Annotation, Campaign, CampaignStep, Question, Review, ReviewChange
from apps.labeling.nudging import ask_for
from apps.metrics.consensus import settle as agreed

from .choices import Choices

ANSWERED, SETTLED, CHANGED = "answered", "settled", "changed"
GOLD, NO_GOLD = "gold", "gold taken back"
"""What a step in the history of a review is."""

NOT_YOURS = "A lead or whoever settled it may settle it otherwise."
NOT_SETTLED = "Nobody has settled this review yet: there is nothing to settle otherwise."
OF_THE_TIE = "Say why: you are one of those who disagree."
REPLACED = "Say why: it replaces what was settled."
LONGEST_COMMENT = 5_000
LONGEST_TOLD = 300


class Verdict(Contract):
    """What a reviewer decides; no label is that nobody can."""

    label: str
    comment: str = ""


class Overtaken(ValidationError):
    """It is in another state than was thought; the sentence says in which, and by whom."""


def may_review(membership: Membership, campaign: Campaign) -> bool:
    """Leads, admins, and whoever was asked to settle."""
    if membership.allows(Permission.MANAGE_CAMPAIGNS):
        return True
    return campaign.assignments.filter(user=membership.user_id, settles=True).exists()


def may_change(membership: Membership, review: Review) -> bool:
    """Whether they may change their mind, or the settler's."""
    is_lead = membership.allows(Permission.MANAGE_CAMPAIGNS)
    return review.state == Review.State.SETTLED and (
        is_lead or review.settled_by_id == membership.user_id
    )


def own_answer(review: Review, user: User) -> ReviewChange | None:
    """What this person said before they saw what others had said."""
    return review.changes.filter(what=ANSWERED, by=user).order_by("pk").first()


def answer_blind(
    review: Review, label: str, *, by: User, now: datetime, **door: Unpack[Door]
) -> None:
    """Keep the person's own answer; a second one of theirs changes nothing.

    Raises Overtaken where the review is not open any more.
    """
    with transaction.atomic():
        rows = _held(review, Review.State.OPEN)
        if own_answer(review, by) is not None:
            return
        if not rows.update(blind_label=label, blind_by=by, blind_at=now):
            raise Overtaken(_told(review, by))
        note(review, ANSWERED, label, by=by, now=now)
        _audit(review, "review.answered", [None, label], by, door)


def settle(
    review: Review, verdict: Verdict, *, by: User, now: datetime, **door: Unpack[Door]
) -> None:
    """Decide an open review after answering it blind.

    Raises ValidationError where something is missing, Overtaken where somebody was faster.
    """
    if review.state != Review.State.OPEN:
        raise Overtaken(_told(review, by))
    own = own_answer(review, by)
    if own is None:
        raise ValidationError("Give your own answer first: the others' labels come after it.")
    check(review, verdict, own.label, by=by)
    with transaction.atomic():
        settled = _held(review, Review.State.OPEN).update(
            **_columns(verdict, by, now),
            blind_label=own.label,
            blind_by=by,
            blind_at=own.at,
        )
        if not settled:
            raise Overtaken(_told(review, by))
        _keep(review, SETTLED, verdict, before=None, by=by, now=now, door=door)


def change_mind(
    review: Review,
    verdict: Verdict,
    *,
    seen: datetime | None,
    by: User,
    now: datetime,
    **door: Unpack[Door],
) -> None:
    """Settle it otherwise; `seen` is the moment of the settlement that this one replaces.

    What was gold is so no longer. Raises as `settle` does.
    """
    if review.state != Review.State.SETTLED:
        raise Overtaken(_told(review, by))
    check(review, verdict, None, by=by)
    if not verdict.comment:
        raise ValidationError({"comment": REPLACED})
    with transaction.atomic():
        standing = _held(review, Review.State.SETTLED).filter(settled_at=seen)
        before = standing.values_list("label", "gold_at").first()
        if before is None:
            raise Overtaken(_told(review, by))
        standing.update(**_columns(verdict, by, now), gold_by=None, gold_at=None)
        label, gold_at = before
        if gold_at is not None:
            note(review, NO_GOLD, label, by=by, now=now)
        _keep(review, CHANGED, verdict, before=label, by=by, now=now, door=door)


def check(review: Review, verdict: Verdict, own: str | None, *, by: User) -> None:
    """Raises ValidationError where the decision needs a comment and has none."""
    if len(verdict.comment) > LONGEST_COMMENT:
        raise ValidationError({"comment": f"At most {LONGEST_COMMENT:,} characters."})
    if verdict.comment:
        return
    if own is not None and verdict.label != own:
        raise ValidationError({"comment": "Say what changed your mind: you answered otherwise."})
    overruled = majority_of(review)
    if overruled is not None and verdict.label != overruled:
        words = Choices(review.question).in_words(overruled)
        who = "the only person" if _given(review).count() == 1 else "most people"
        raise ValidationError({"comment": f"Say why: {who} answered “{words}”."})
    if is_of_the_tie(review, by):
        raise ValidationError({"comment": OF_THE_TIE})


def is_of_the_tie(review: Review, user: User) -> bool:
    """Whether they have to say why whatever they decide: no majority speaks for them."""
    return is_a_party(review, user) and majority_of(review) is None


def is_a_party(review: Review, user: User) -> bool:
    """Whether they are among those whose labels are to be settled; of free words none differ."""
    if review.question.kind == Question.Kind.TEXT:
        return False
    given = Annotation.objects.filter(item=review.item_id, question=review.question_id, user=user)
    return given.counted().exists()


def majority_of(review: Review) -> str | None:
    """What more than half of the labels say; None without such a label, or of free words."""
    if review.question.kind == Question.Kind.TEXT:
        return None
    return agreed(list(_given(review).values_list("label", flat=True)), "majority").label


def _given(review: Review) -> QuerySet[Annotation]:
    given = Annotation.objects.filter(item=review.item_id, question=review.question_id)
    return given.counted()


def note(
    review: Review, what: str, label: str, comment: str = "", *, by: User, now: datetime
) -> ReviewChange:
    """One more step in the history."""
    return ReviewChange.objects.create(
        review=review, what=what, label=label, comment=comment, by=by, at=now
    )


def _held(review: Review, state: Review.State) -> QuerySet[Review]:
    """The row, if it is in that state, locked until the transaction ends."""
    rows = Review.objects.filter(pk=review.pk, state=state)
    rows.select_for_update(no_key=True).values_list("pk").first()
    return rows


def _columns(verdict: Verdict, by: User, now: datetime) -> dict[str, Any]:
    return {
        "state": Review.State.SETTLED,
        "label": verdict.label,
        "comment": verdict.comment,
        "settled_by": by,
        "settled_at": now,
    }


def _keep(
    review: Review,
    what: str,
    verdict: Verdict,
    *,
    before: str | None,
    by: User,
    now: datetime,
    door: Door,
) -> None:
    note(review, what, verdict.label, verdict.comment, by=by, now=now)
    _audit(review, f"review.{what}", [before, verdict.label], by, door)
    ask_for(review.question.campaign_id, CampaignStep.Name.ANALYSE)


def _audit(review: Review, verb: str, labels: Sequence[str | None], by: User, door: Door) -> None:
    workspace = review.question.campaign.workspace
    changes = {"label": list(labels)}
    audit(workspace=workspace, actor=by, verb=verb, obj=review, changes=changes, **door)


def _told(review: Review, by: User) -> str:
    """Why it cannot be decided so, as it stands now; how others decided, to who had answered."""
    now = Review.objects.select_related("settled_by").get(pk=review.pk)
    if now.state == Review.State.OPEN:
        return NOT_SETTLED
    if now.state == Review.State.WITHDRAWN:
        return "This review was withdrawn: with the labels that came since, nobody need decide it."
    who = now.settled_by.label if now.settled_by else "Somebody"
    if own_answer(review, by) is None:
        return f"{who} settled this meanwhile."
    words = Choices(review.question).in_words(now.label)
    said = f": {now.comment[:LONGEST_TOLD]}" if now.comment else "."
    return f"{who} settled this meanwhile as “{words}”{said}"
