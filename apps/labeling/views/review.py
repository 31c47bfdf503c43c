"""One review: nothing of what others said is in the page before the reviewer has answered."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from apps.accounts.doors import WorkspaceRequest, authorise, door
from apps.accounts.models import User, Workspace
from apps.accounts.permissions import Permission
from apps.datasets.sight import Sight
from apps.labeling.models import Review, ReviewChange
from apps.labeling.queries import key_in
from apps.labeling.settling import gold, review_queue, reviewed, reviewing
from apps.labeling.settling.review_form import ReviewForm
from apps.labeling.settling.review_queue import unit_of
from apps.labeling.settling.truth import Unit
from apps.web.rendering import render_page

from .review_places import Place, place_of

ANSWER, SETTLE, CHANGE, GOLD, NO_GOLD = "answer", "settle", "change", "gold", "no-gold"
"""What the buttons say."""


@door(Permission.SETTLE_LABELS)
def review(
    request: WorkspaceRequest,
    workspace: Workspace,
    campaign_id: str,
    item_id: int,
    question_id: int,
) -> HttpResponse:
    place = place_of(request, workspace, campaign_id)
    found = _review(place, (item_id, question_id))
    own = reviewing.own_answer(found, request.user)
    pressed = request.POST.get("action", "")
    if pressed in (GOLD, NO_GOLD):
        return _gold(request, place, found, pressed)
    if pressed in (ANSWER, SETTLE, CHANGE):
        return _decided(request, place, found, own, pressed)
    return _page(request, place, found, own, _form(found, own, _why(found, own, request.user)))


def _decided(
    request: WorkspaceRequest,
    place: Place,
    found: Review,
    own: ReviewChange | None,
    pressed: str,
) -> HttpResponse:
    why = _why(found, own, request.user)
    form = ReviewForm(found.question, request.POST, blind=pressed == ANSWER, why=why)
    if not form.is_valid():
        return _page(request, place, found, own, form, status=400)
    try:
        _decide(request, found, form.verdict, pressed)
    except reviewing.Overtaken as error:
        now = _review(place, unit_of(found))
        form.add_error(None, error)
        own = reviewing.own_answer(now, request.user)
        return _page(request, place, now, own, form, status=409)
    except ValidationError as error:
        form.add_error(None, error)
        return _page(request, place, found, own, form, status=400)
    return _on(request, place, found, form, pressed)


def _decide(
    request: WorkspaceRequest, found: Review, verdict: reviewing.Verdict, pressed: str
) -> None:
    who: dict[str, Any] = {
        "by": request.user, "now": timezone.now(), "request_id": request.request_id,
    }  # fmt: skip
    settled = found.state == Review.State.SETTLED
    if pressed == ANSWER:
        reviewing.answer_blind(found, verdict.label, **who)
    elif pressed == SETTLE:
        reviewing.settle(found, verdict, **who)
    elif not settled or reviewing.may_change(request.membership, found):
        seen = request.POST.get("seen", "")
        reviewing.change_mind(found, verdict, seen=_moment(seen), **who)
    else:
        raise PermissionDenied(reviewing.NOT_YOURS)


def _on(
    request: WorkspaceRequest, place: Place, found: Review, form: ReviewForm, pressed: str
) -> HttpResponse:
    """After an answer the same page, which now shows the others'; else the next that waits."""
    if pressed == ANSWER:
        return redirect(place.address_of(unit_of(found)))
    messages.success(request, f"Settled: {form.choices.in_words(form.verdict.label)}.")
    if pressed == CHANGE:
        return redirect(place.address_of(unit_of(found)))
    return redirect(place.address_of(review_queue.next_open(found, place.rows)) or place.address)


def _gold(request: WorkspaceRequest, place: Place, found: Review, pressed: str) -> HttpResponse:
    authorise(request.membership, Permission.MANAGE_CAMPAIGNS)
    change = gold.make_gold if pressed == GOLD else gold.take_gold_back
    if found.settled_at:
        found.settled_at = _moment(request.POST.get("seen", ""))  # what the lead vouches for
    if not change(found, by=request.user, now=timezone.now(), request_id=request.request_id):
        messages.error(request, "Nothing changed: look at what stands here now.")
    return redirect(place.address_of(unit_of(found)))


def _page(
    request: WorkspaceRequest,
    place: Place,
    found: Review,
    own: ReviewChange | None,
    form: ReviewForm,
    status: int = 200,
) -> HttpResponse:
    following = review_queue.next_open(found, place.rows)
    near = review_queue.beside(found, place.rows)
    sight = Sight(place.workspace)
    return render_page(
        request,
        "labeling/review.html",
        status=status,
        campaign=place.campaign,
        place=place,
        review=found,
        form=form,
        texts=reviewed.texts_of(found.item, found.question, sight),
        waiting=review_queue.counts_of(place.rows).open,
        previous=place.address_of(near.previous),
        next=place.address_of(near.next),
        skip=place.address_of(following, skipped=f"{found.item_id}-{found.question_id}"),
        skipped=_skipped(request, place),
        **_after_answering(request, place, found, own, sight),
    )


def _after_answering(
    request: WorkspaceRequest,
    place: Place,
    found: Review,
    own: ReviewChange | None,
    sight: Sight,
) -> dict[str, Any]:
    """What others said, for whoever may be told."""
    if found.pk not in place.revealed([found]):
        return {"revealed": False}
    is_settled = found.state == Review.State.SETTLED
    words = ReviewForm(found.question).choices.in_words
    return {
        "revealed": True,
        "is_settled": is_settled,
        "may_change": reviewing.may_change(request.membership, found),
        "own": words(own.label) if own else "",
        "settled_as": words(found.label) if is_settled else "",
        "reason": review_queue.reason_of(found),
        "labels": reviewed.labels_of(found, sight, request.user),
        "scores": reviewed.scores_of(found.item) if place.sees_scores else [],
        "history": reviewed.history_of(found, with_gold=place.is_lead),
    }


def _why(found: Review, own: ReviewChange | None, user: User) -> str:
    """For what a comment is needed whatever they decide; nothing before they have answered."""
    if found.state == Review.State.SETTLED:
        return reviewing.REPLACED
    of_the_tie = own is not None and reviewing.is_of_the_tie(found, user)
    return reviewing.OF_THE_TIE if of_the_tie else ""


def _form(found: Review, own: ReviewChange | None, why: str) -> ReviewForm:
    """Filled in with what stands: the settled answer, else their own."""
    if found.state == Review.State.SETTLED:
        return ReviewForm.standing_on(found.question, found.label, why=why)
    if own is not None:
        return ReviewForm.standing_on(found.question, own.label, why=why)
    return ReviewForm(found.question, blind=True)


def _moment(text: str) -> datetime | None:
    try:
        found = parse_datetime(text)
    except ValueError:
        return None
    return found if found and found.tzinfo else None


def _skipped(request: WorkspaceRequest, place: Place) -> str:
    """The address of what was skipped on the way here."""
    item, _, question = request.GET.get("skipped", "").partition("-")
    unit = key_in(item), key_in(question)
    return place.address_of(unit) if all(unit) else ""


def _review(place: Place, unit: Unit) -> Review:
    rows = place.every.select_related(
        "question__campaign__workspace",
        "item__result__record",
        "item__result__run__workspace",
        "settled_by",
        "gold_by",
    )
    return get_object_or_404(rows, item__pk=unit[0], question__pk=unit[1])
