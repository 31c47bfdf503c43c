"""How far the people of a campaign agree, question by question and person by person."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.labeling.analysing.contracts import Measured
from apps.labeling.analysing.measured import standing_of
from apps.labeling.members.people import names_of
from apps.labeling.models import Campaign, CampaignStep
from apps.labeling.nudging import ask_for
from apps.web.rendering import render_page

from .agreement_tables import Chosen, tables


@door(GET=Permission.VIEW_ANNOTATIONS, POST=Permission.MANAGE_CAMPAIGNS)
def agreement(request: WorkspaceRequest, workspace: Workspace, campaign_id: str) -> HttpResponse:
    """A POST has the numbers computed again."""
    campaigns = Campaign.objects.filter(workspace=workspace)
    related = campaigns.select_related("run__dataset_version__dataset", "created_by")
    campaign = get_object_or_404(related, pk=campaign_id)
    if request.method == "POST":
        ask_for(campaign.pk, CampaignStep.Name.ANALYSE)
        return redirect(request.path)
    standing = standing_of(campaign)
    chosen = Chosen(*(request.GET.get(name, "") for name in Chosen._fields))
    return render_page(
        request,
        "labeling/agreement.html",
        fragment="agreement",
        campaign=campaign,
        tab="agreement",
        standing=standing,
        **_shown(campaign, standing.measured, chosen),
    )


def _shown(campaign: Campaign, measured: Measured | None, chosen: Chosen) -> dict[str, Any]:
    if measured is None:
        return {}
    annotators = [each.annotator for each in measured.people.listed]
    return tables(measured, chosen, names_of(annotators, campaign))
