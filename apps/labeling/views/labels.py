"""Every label of a campaign, for its leads: narrowed, with its history and what it breaks."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets.sight import Sight
from apps.labeling import said
from apps.labeling.forms import SaidFilterForm
from apps.labeling.models import Campaign
from apps.labeling.progress import campaigns
from apps.labeling.syncing import heard
from apps.web.paging import keyset
from apps.web.rendering import render_page

SHOWN_STRAYS = 20


@door(GET=Permission.VIEW_ANNOTATIONS)
def labels(request: WorkspaceRequest, workspace: Workspace, campaign_id: str) -> HttpResponse:
    campaign: Campaign = get_object_or_404(campaigns(request.user, workspace), pk=campaign_id)
    form = SaidFilterForm(request.GET, campaign=campaign)
    wanted = form.wanted()
    page = keyset(said.listed(campaign, wanted), said.ORDER, request.GET.get("cursor"))
    known = heard(campaign)
    return render_page(
        request,
        "labeling/labels.html",
        fragment="labels_list",
        campaign=campaign,
        tab="labels",
        form=form,
        narrowed=wanted != said.SaidFilter(),
        totals=said.totals(campaign),
        page=page,
        rows=said.lines(page.items, Sight(workspace)),
        heard=known,
        strays=known.strays[:SHOWN_STRAYS],
    )
