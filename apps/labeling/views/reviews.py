"""The review queue of a campaign, and what leads make gold of it."""

from typing import NamedTuple

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets.sight import Sight
from apps.labeling.models import Review
from apps.labeling.settling import gold, review_queue
from apps.labeling.settling.choices import Choices
from apps.labeling.settling.review_queue import reason_of, unit_of
from apps.labeling.settling.seats import kept_from_settlers
from apps.web.paging import keyset
from apps.web.rendering import render_page

from .review_places import Place, place_of


class Line(NamedTuple):
    """`words` is what was settled; without them and the reason for whoever is not to know yet."""

    review: Review
    address: str
    reason: str
    words: str


@door(GET=Permission.SETTLE_LABELS, POST=Permission.MANAGE_CAMPAIGNS)
def reviews(request: WorkspaceRequest, workspace: Workspace, campaign_id: str) -> HttpResponse:
    """A POST makes every settled answer gold that the filter finds."""
    place = place_of(request, workspace, campaign_id)
    if request.method == "POST":
        return _vouched(request, place)
    found = review_queue.listed(place.rows)
    page = keyset(found, review_queue.ORDER, request.GET.get("cursor"))
    return render_page(
        request,
        "labeling/reviews.html",
        fragment="reviews",
        campaign=place.campaign,
        tab="reviews",
        place=place,
        wanted=place.wanted,
        counts=review_queue.counts_of(place.every),
        reasons=_reasons(place),
        kept=kept_from_settlers(place.campaign) if place.is_lead else 0,
        questions=review_queue.questions_of(place.every),
        first=place.address_of(review_queue.first_open(place.rows)),
        page=page,
        rows=_lines(place, page.items, Sight(workspace)),
        to_vouch_for=gold.to_vouch_for(place.rows).count() if place.is_lead else 0,
    )


def _vouched(request: WorkspaceRequest, place: Place) -> HttpResponse:
    told = request.POST.get("expected", "")
    expected = int(told) if told.isdecimal() and len(told) < 9 else 0
    try:
        n = gold.make_all_gold(
            place.campaign,
            place.rows,
            expected=expected,
            by=request.user,
            now=timezone.now(),
            request_id=request.request_id,
        )
        messages.success(request, f"Gold: {n:,} settled answers.")
    except ValidationError as error:
        messages.error(request, error.messages[0])
    return redirect(place.address)


def _reasons(place: Place) -> list[review_queue.Reason]:
    if not place.is_lead:
        return []
    return review_queue.reasons_of(place.every, place.wanted, place.campaign)


def _lines(place: Place, found: list[Review], sight: Sight) -> list[Line]:
    told = {each.pk for each in found} if place.is_lead else place.revealed(found)
    choices = {each.question_id: Choices(each.question) for each in found}
    return [
        Line(
            review=each,
            address=place.address_of(unit_of(each)),
            reason=reason_of(each) if each.pk in told else "",
            words=sight.text(choices[each.question_id].in_words(each.label))
            if each.state == Review.State.SETTLED and each.pk in told
            else "",
        )
        for each in found
    ]
