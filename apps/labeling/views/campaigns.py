"""The list of campaigns, making one, and the page of one."""

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.jobs.services import alive
from apps.labeling import progress
from apps.labeling.desk import desks
from apps.labeling.forms import CampaignFilterForm, CampaignForm
from apps.labeling.making.creating import create_campaign
from apps.labeling.making.estimating import Estimate, estimate
from apps.labeling.models import Campaign
from apps.labeling.sending.preparing import source_of
from apps.labeling.syncing import heard
from apps.web.paging import keyset
from apps.web.rendering import render_page

from .campaign_control import offered

FRAGMENTS = ("estimate", "sampling")
PREFILLED = ("source", "name", "how", "size", "family")


@door(GET=Permission.MANAGE_CAMPAIGNS)
def campaigns(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    form = CampaignFilterForm(request.GET)
    wanted = form.wanted()
    found = progress.filtered(progress.campaigns(request.user, workspace), wanted, request.user)
    page = keyset(found, ("-pk",), request.GET.get("cursor"))
    return render_page(
        request,
        "labeling/campaigns.html",
        fragment="campaigns",
        form=form,
        narrowed=wanted.narrows,
        page=page,
        rows=progress.rows_of(page.items),
        live=any(each.state == Campaign.State.PREPARING for each in page.items),
        nowhere=not desks.people_label(),
    )


@door(Permission.MANAGE_CAMPAIGNS)
def new(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    """The button says what a POST is for: to make the campaign, or to look at what it comes to."""
    form = _form(request, workspace)
    if form.is_bound and form.is_valid():
        try:
            campaign = _made(request, workspace, form)
            return redirect("labeling:campaign", slug=workspace.slug, campaign_id=campaign.pk)
        except ValidationError as error:
            form.explain(error)
    return render_page(
        request,
        "labeling/new.html",
        fragment=FRAGMENTS,
        form=form,
        estimate=_estimated(form),
        missing=form.missing_so_far(),
        nowhere=not desks.people_label(),
        sighted=form.sighted_so_far(),
    )


@door(GET=Permission.MANAGE_CAMPAIGNS)
def campaign(request: WorkspaceRequest, workspace: Workspace, campaign_id: str) -> HttpResponse:
    found = progress.campaigns(request.user, workspace)
    campaign: Campaign = get_object_or_404(found, pk=campaign_id)
    return render_page(
        request,
        "labeling/campaign.html",
        fragment="campaign_progress",
        campaign=campaign,
        tab="overview",
        offered=offered(campaign),
        queues=progress.queues_of(campaign) if campaign.plan else [],
        people=progress.people_of(campaign),
        steps=progress.steps_under_way(campaign),
        lost=heard(campaign).lost,
        nowhere=not desks.people_label(),
        drawn=progress.drawn_of(campaign),
        probability=progress.probabilities_of(campaign),
        live=campaign.state == Campaign.State.PREPARING,
        workers=alive("worker", timezone.now()),
    )


def _form(request: WorkspaceRequest, workspace: Workspace) -> CampaignForm:
    if request.method == "POST" and request.POST.get("action", "make") == "make":
        return CampaignForm(request.POST, workspace=workspace, user=request.user)
    if request.method == "POST":  # filled in, but not to be judged yet
        lists = ("tasks", "people", "settlers")
        given = {name: request.POST.getlist(name) for name in lists}
        initial = {**request.POST.dict(), "blind": "blind" in request.POST, **given}
        return CampaignForm(initial=initial, workspace=workspace, user=request.user)
    given_now = {name: request.GET[name] for name in PREFILLED if request.GET.get(name)}
    return CampaignForm(initial=given_now, workspace=workspace, user=request.user)


def _made(request: WorkspaceRequest, workspace: Workspace, form: CampaignForm) -> Campaign:
    values = form.cleaned_data
    return create_campaign(
        workspace=workspace,
        run=source_of(values["source"], by=request.user),
        name=values["name"],
        plan=form.plan,
        people=values["people"],
        settlers=values["settlers"],
        guidelines=values["guidelines"],
        blind=values["blind"],
        consensus=values["consensus"],
        by=request.user,
        now=timezone.now(),
        request_id=request.request_id,
    )


def _estimated(form: CampaignForm) -> Estimate | None:
    """None until answers and a task are chosen."""
    source, plan = form.source_so_far, form.plan_so_far()
    if source is None or plan is None:
        return None
    return estimate(source, plan, form.people_so_far(), form.workspace)
