"""Exports of a campaign's labels: made, followed, verified and taken along."""

from contextlib import suppress
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import FileResponse, Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.artifacts import store
from apps.artifacts.exports import zip_stream
from apps.jobs.services import alive
from apps.labeling.exporting.listing import exports_of, files_of, rows_in, verified
from apps.labeling.exporting.requesting import cancel_export, start_export
from apps.labeling.forms.exporting import ExportForm
from apps.labeling.models import Campaign, Export
from apps.web.paging import keyset
from apps.web.rendering import render_page

PAGE = 20


@door(GET=Permission.VIEW_ANNOTATIONS, POST=Permission.VIEW_ANNOTATIONS)
def exports(request: WorkspaceRequest, workspace: Workspace, campaign_id: str) -> HttpResponse:
    campaign = _campaign(workspace, campaign_id)
    form = ExportForm(request.POST or None)
    if form.is_bound and form.is_valid():
        start_export(campaign, **form.cleaned_data, by=request.user, request_id=request.request_id)
        return redirect("labeling:exports", slug=workspace.slug, campaign_id=campaign.pk)
    return _page(request, campaign, form=form)


@door(POST=Permission.VIEW_ANNOTATIONS)
def verify(
    request: WorkspaceRequest, workspace: Workspace, campaign_id: str, export_id: str
) -> HttpResponse:
    """Every hash is computed again from the stored bytes."""
    export = _export(workspace, campaign_id, export_id)
    report, refused = verified(export)
    about = {"checked": export, "report": report, "refused": refused}
    return _page(request, export.campaign, form=ExportForm(), **about)


@door(POST=Permission.VIEW_ANNOTATIONS)
def cancel(
    request: WorkspaceRequest, workspace: Workspace, campaign_id: str, export_id: str
) -> HttpResponse:
    export = _export(workspace, campaign_id, export_id)
    if not cancel_export(export, by=request.user, request_id=request.request_id):
        messages.info(request, "It had ended before it could be cancelled.")
    return redirect("labeling:exports", slug=workspace.slug, campaign_id=campaign_id)


@door(GET=Permission.VIEW_ANNOTATIONS)
def export_file(
    request: WorkspaceRequest, workspace: Workspace, campaign_id: str, export_id: str, name: str
) -> HttpResponseBase:
    export = _export(workspace, campaign_id, export_id)
    kept = next((file for file in files_of(export) if file.name == name), None)
    if kept is None:
        raise Http404(f"The export has no file {name}.")
    with suppress(FileNotFoundError):
        if kept.blob_id is not None:
            return FileResponse(
                store.open(kept.sha256),
                as_attachment=True,
                filename=f"{export.pk}-{kept.name}",
                content_type=kept.media_type,
            )
    raise Http404(f"The bytes of {name} are gone; its hash stays: {kept.sha256}.")


@door(GET=Permission.VIEW_ANNOTATIONS)
def export_zip(
    request: WorkspaceRequest, workspace: Workspace, campaign_id: str, export_id: str
) -> HttpResponseBase:
    export = _export(workspace, campaign_id, export_id)
    if export.bundle is None or not files_of(export):
        raise Http404("The export has no files yet.")
    try:
        chunks = zip_stream(export.bundle)
    except ValidationError as error:
        messages.error(request, error.messages[0])
        return redirect("labeling:exports", slug=workspace.slug, campaign_id=campaign_id)
    response = StreamingHttpResponse(chunks, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{export.pk}.zip"'
    return response


def _page(request: WorkspaceRequest, campaign: Campaign, **context: Any) -> HttpResponse:
    page = keyset(exports_of(campaign), ("-pk",), request.GET.get("cursor"), PAGE)
    return render_page(
        request,
        "labeling/exports.html",
        fragment="exports",
        campaign=campaign,
        tab="exports",
        page=page,
        rows=[(export, files_of(export), rows_in(export)) for export in page.items],
        live=any(export.is_open for export in page.items),
        workers=alive("worker", timezone.now()),
        **context,
    )


def _campaign(workspace: Workspace, campaign_id: str) -> Campaign:
    campaigns = Campaign.objects.filter(workspace=workspace)
    related = campaigns.select_related("run__dataset_version__dataset", "created_by")
    return get_object_or_404(related, pk=campaign_id)


def _export(workspace: Workspace, campaign_id: str, export_id: str) -> Export:
    campaign = _campaign(workspace, campaign_id)
    export: Export = get_object_or_404(exports_of(campaign), pk=export_id)
    export.campaign = campaign
    return export
