"""What people agree on without a review, for leads to make gold of."""

from collections.abc import Iterator
from typing import NamedTuple

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets.sight import Sight
from apps.labeling.models import Campaign, Item, Question, Review
from apps.labeling.queries import key_in
from apps.labeling.settling import gold
from apps.labeling.settling.choices import Choices
from apps.labeling.settling.truth import Truth, truths
from apps.web.paging import keyset
from apps.web.rendering import render_page

ITEMS = 25
MOST_AT_ONCE = 200


class Agreed(NamedTuple):
    """`said` of `asked` people gave the label; `key` names it in the form."""

    key: str
    item: Item
    question: Question
    words: str
    said: int
    asked: int


@door(Permission.MANAGE_CAMPAIGNS)
def agreed(request: WorkspaceRequest, workspace: Workspace, campaign_id: str) -> HttpResponse:
    """A POST makes the chosen ones gold."""
    campaigns = Campaign.objects.visible_to(request.user).filter(workspace=workspace)
    related = campaigns.select_related("run", "created_by", "workspace")
    campaign: Campaign = get_object_or_404(related, pk=campaign_id)
    if request.method == "POST":
        _vouch(request, campaign)
        return redirect(request.get_full_path())
    items = campaign.items.filter(annotations__isnull=False).distinct()
    shown = items.select_related("result__record").defer(
        "result__response", "result__record__payload"
    )
    page = keyset(shown, ("pk",), request.GET.get("cursor"), ITEMS)
    return render_page(
        request,
        "labeling/agreed.html",
        fragment="agreed",
        campaign=campaign,
        tab="reviews",
        page=page,
        rows=list(_agreed(campaign, page.items, Sight(workspace))),
    )


def _agreed(campaign: Campaign, items: list[Item], sight: Sight) -> Iterator[Agreed]:
    """At most nine queries."""
    of = {item.pk: item for item in items}
    standing = Review.objects.filter(item__in=of).exclude(state=Review.State.WITHDRAWN)
    decided = set(standing.values_list("item", "question"))
    questions = {each.pk: each for each in campaign.questions.all()}
    choices = {pk: Choices(question) for pk, question in questions.items()}
    for unit, truth in truths(campaign, items=list(of)).items():
        if truth.source == "consensus" and truth.label and unit not in decided:
            item, question = unit
            words = sight.text(choices[question].in_words(truth.label))
            key = f"{item}:{question}"
            yield Agreed(key, of[item], questions[question], words, *_votes(truth))


def _votes(truth: Truth) -> tuple[int, int]:
    said = next(vote.count for vote in truth.votes if vote.label == truth.label)
    return said, sum(vote.count for vote in truth.votes)


def _vouch(request: WorkspaceRequest, campaign: Campaign) -> None:
    """Each by itself: what has changed meanwhile is told, the others stand."""
    made, refused = 0, ""
    for key in request.POST.getlist("unit")[:MOST_AT_ONCE]:
        item, question = _unit(campaign, key)
        try:
            gold.make_agreed_gold(
                item, question, by=request.user, now=timezone.now(), request_id=request.request_id
            )
            made += 1
        except ValidationError as error:
            refused = f"{item.result.record.record_id}: {error.messages[0]}"
    if made:
        messages.success(request, f"Gold: {made:,} more.")
    if refused or not made:
        messages.error(request, refused or "Choose at least one answer.")


def _unit(campaign: Campaign, key: str) -> tuple[Item, Question]:
    item, _, question = key.partition(":")
    return (
        get_object_or_404(campaign.items.select_related("result__record"), pk=key_in(item)),
        get_object_or_404(campaign.questions.select_related("campaign"), pk=key_in(question)),
    )
