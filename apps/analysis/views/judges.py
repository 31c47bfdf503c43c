"""The page of a campaign's judges, held against its people."""

from django.contrib import messages
from django.forms import model_to_dict
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.analysis.calibration.alone import rule_that_decides, verdict_made_by
from apps.analysis.calibration.declaring import declare
from apps.analysis.calibration.frames import can_pass
from apps.analysis.calibration.lines import Line, is_weighted, lines_of, with_verdicts
from apps.analysis.forms.judges import MatchForm
from apps.analysis.models import Calibration, CalibrationStep
from apps.labeling.models import Campaign
from apps.web.charts import axis_range
from apps.web.rendering import render_page


@door(GET=Permission.VIEW_ANNOTATIONS)
def judges(request: WorkspaceRequest, workspace: Workspace, campaign_id: str) -> HttpResponse:
    request.section = "labeling"
    campaign = _campaign(request, workspace, campaign_id)
    lines = with_verdicts(lines_of(campaign), rule_that_decides(campaign.run))
    matched = [line for line in lines if line.row.matched]
    return render_page(
        request,
        "analysis/judges.html",
        fragment="calibrations",
        campaign=campaign,
        tab="judges",
        step=CalibrationStep.objects.filter(campaign=campaign).first(),
        matched=matched,
        others=[line for line in lines if not line.row.matched],
        scale=_scale(matched),
        weighted=is_weighted(campaign),
        aside=[each for each in campaign.questions.all() if not can_pass(each)],
    )


@door(GET=Permission.VIEW_ANNOTATIONS, POST=Permission.MANAGE_CAMPAIGNS)
def match(
    request: WorkspaceRequest, workspace: Workspace, campaign_id: str, calibration_id: int
) -> HttpResponse:
    request.section = "labeling"
    campaign = _campaign(request, workspace, campaign_id)
    rows = Calibration.objects.filter(campaign=campaign).select_related("question")
    calibration = get_object_or_404(rows, pk=calibration_id)
    form = MatchForm(request.POST or None, initial=model_to_dict(calibration))
    if request.method == "POST" and form.is_valid():
        declare(
            calibration,
            form.cleaned_data,
            by=request.user,
            via="page",
            request_id=request.request_id,
        )
        messages.success(request, f"Kept. {calibration} is computed again.")
        return redirect("analysis:judges", workspace.slug, campaign.pk)
    return render_page(
        request,
        "analysis/match.html",
        status=422 if form.errors else 200,
        campaign=campaign,
        calibration=calibration,
        verdict=verdict_made_by(calibration),
        form=form,
    )


def _campaign(request: WorkspaceRequest, workspace: Workspace, campaign_id: str) -> Campaign:
    visible = Campaign.objects.visible_to(request.user).filter(workspace=workspace)
    return get_object_or_404(visible.select_related("run", "workspace"), pk=campaign_id)


def _scale(lines: list[Line]) -> object:
    rates = [rate.value for line in lines for rate in line.rates]
    return axis_range([rate for rate in rates if rate.point is not None])
