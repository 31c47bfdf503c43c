"""The campaign whose reviews somebody looks at, what they look for, and what they are told."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse

from apps.accounts.doors import WorkspaceRequest
from apps.accounts.models import Workspace
from apps.labeling.models import Campaign, Review
from apps.labeling.settling import review_queue
from apps.labeling.settling.review_queue import ReviewFilter
from apps.labeling.settling.seats import Seat, seat_of
from apps.labeling.settling.truth import Unit


@dataclass(frozen=True)
class Place(Seat):
    workspace: Workspace
    wanted: ReviewFilter

    @property
    def rows(self) -> QuerySet[Review]:
        """Those that they look for."""
        return review_queue.found(self.every, self.wanted)

    @property
    def address(self) -> str:
        """Of the list, with the filter."""
        return self._address("labeling:reviews")

    def address_of(self, unit: Unit | None, **more: str) -> str:
        return self._address("labeling:review", *unit, **more) if unit else ""

    def _address(self, name: str, *more: object, **said: str) -> str:
        address = reverse(name, args=[self.workspace.slug, self.campaign.pk, *more])
        query = urlencode({**self.wanted.given, **said})
        return f"{address}?{query}" if query else address


def place_of(request: WorkspaceRequest, workspace: Workspace, campaign_id: str) -> Place:
    """404 for what is not there, 403 for whoever settles nothing."""
    campaigns = Campaign.objects.visible_to(request.user).filter(workspace=workspace)
    related = campaigns.select_related("run", "created_by", "workspace")
    campaign: Campaign = get_object_or_404(related, pk=campaign_id)
    seat = seat_of(campaign, request.membership)
    said = ReviewFilter.model_validate(request.GET.dict())
    wanted = said if seat.is_lead else said.for_settlers
    return Place(seat.user, campaign, seat.is_lead, seat.sees_scores, workspace, wanted)
