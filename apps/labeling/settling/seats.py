"""Who looks at the reviews of a campaign, and what they may be told."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet

from apps.accounts.models import Membership, User
from apps.accounts.permissions import Permission
from apps.labeling.members.blinding import sighted
from apps.labeling.members.shares import items_waiting_for
from apps.labeling.models import Campaign, Review, ReviewChange
from apps.labeling.models.campaigns import CampaignQuerySet
from apps.runs.models import Run

from .reviewing import ANSWERED, may_review

NOT_ASKED = "Leads settle reviews, and whoever was asked to in this campaign: you label in it only."


@dataclass(frozen=True)
class Seat:
    """Gold is for leads alone; scores are for those who may open the run."""

    user: User
    campaign: Campaign
    is_lead: bool
    sees_scores: bool

    @property
    def every(self) -> QuerySet[Review]:
        return reviews_for(self.user, [self.campaign], is_lead=self.is_lead)

    def revealed(self, reviews: Collection[Review]) -> set[int]:
        return revealed_to(self.user, reviews, is_lead=self.is_lead)


def seat_of(campaign: Campaign, membership: Membership) -> Seat:
    """PermissionDenied, with a sentence, for whoever settles nothing in it."""
    if not may_review(membership, campaign):
        raise PermissionDenied(NOT_ASKED)
    return Seat(
        user=membership.user,
        campaign=campaign,
        is_lead=membership.allows(Permission.MANAGE_CAMPAIGNS),
        sees_scores=campaign.pk in with_scores([campaign], membership.user),
    )


def settled_by(membership: Membership, campaigns: CampaignQuerySet) -> CampaignQuerySet:
    """Those of them whose reviews this person decides."""
    if membership.allows(Permission.MANAGE_CAMPAIGNS):
        return campaigns
    return campaigns.filter(assignments__user=membership.user_id, assignments__settles=True)


def with_scores(campaigns: Iterable[Campaign], user: User) -> set[str]:
    """Those whose run this person may open; one query."""
    runs = {each.pk: each.run_id for each in campaigns}
    open_runs = Run.objects.visible_to(user).filter(pk__in=runs.values())
    seen = set(open_runs.values_list("pk", flat=True))
    return {campaign for campaign, run in runs.items() if run in seen}


def reviews_for(user: User, campaigns: Collection[Campaign], *, is_lead: bool) -> QuerySet[Review]:
    """All of these that a person may know of; leads know of all.

    Of others, who may not see the scores is not told where a judge says otherwise: beside a label
    of their own it would be the score. Nor what was withdrawn, for a judge may ask for it again.
    """
    rows = Review.objects.filter(question__campaign__in=campaigns)
    if is_lead:
        return rows
    scored = with_scores(campaigns, user)
    blind = [each for each in campaigns if each.pk not in scored]
    by_judge = Q(reason=Review.Reason.JUDGE) | Q(state=Review.State.WITHDRAWN)
    rows = rows.exclude(reason=Review.Reason.GOLD)
    return rows.exclude(by_judge, question__campaign__in=blind)


def kept_from_settlers(campaign: Campaign) -> int:
    """Open reviews that leads alone know of for now: some who settle may not see the scores."""
    every = Review.objects.filter(question__campaign=campaign, state=Review.State.OPEN)
    n = every.filter(reason=Review.Reason.JUDGE).count()
    asked = User.objects.filter(assignments__campaign=campaign, assignments__settles=True)
    leads = sighted(asked, campaign.workspace) if n else []
    is_kept = n and any(not with_scores([campaign], each) for each in asked if each not in leads)
    return n if is_kept else 0


def revealed_to(user: User, reviews: Collection[Review], *, is_lead: bool) -> set[int]:
    """The keys of those of which this person may be told what others said, and why they are asked.

    That is who has answered; of a settled one also leads, and who is not to label the item any
    more.
    """
    answers = ReviewChange.objects.filter(what=ANSWERED, by=user, review__in=reviews)
    answered = set(answers.values_list("review", flat=True))
    settled = [each for each in reviews if each.state == Review.State.SETTLED]
    waiting = set() if is_lead else items_waiting_for(user, [each.item for each in settled])
    return answered | {each.pk for each in settled if each.item_id not in waiting}
