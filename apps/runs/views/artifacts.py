"""What a run leaves behind: its artifacts, their proof, and how it came to be."""

from contextlib import suppress
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import FileResponse, Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.artifacts import bundles, store
from apps.artifacts.exports import zip_stream
from apps.artifacts.verification import Report
from apps.runs.models import Run
from apps.runs.queries import artifacts_of, children_of, counts_of, states_of
from apps.runs.queries.history import Kept, parties_of
from apps.web.rendering import render_page

from .detail import head
from .fetching import get_run

MOST_BYTES_VERIFIED = 100_000_000


@door(GET=Permission.VIEW_RUNS, POST=Permission.DOWNLOAD_ARTIFACTS)
def artifacts(request: WorkspaceRequest, workspace: Workspace, run_id: str) -> HttpResponse:
    """Posting verifies: every hash is computed again from the stored bytes."""
    run = get_run(request, workspace, run_id)
    kept = artifacts_of(run)
    shown: dict[str, Any] = {}
    if request.method == "POST":
        shown = _verified(run, kept)
    return render_page(
        request,
        "runs/artifacts.html",
        fragment="artifacts",
        **head(run, counts_of(run), request.user),
        kept=kept,
        states=states_of(run),
        parties=parties_of(run),
        children=children_of(run),
        **shown,
    )


@door(GET=Permission.DOWNLOAD_ARTIFACTS)
def artifact(
    request: WorkspaceRequest, workspace: Workspace, run_id: str, name: str
) -> HttpResponseBase:
    run = get_run(request, workspace, run_id)
    if run.bundle is None:
        raise Http404("The run has no artifacts yet.")
    kept = next((each for each in run.bundle.artifacts.all() if each.name == name), None)
    if kept is None:
        raise Http404(f"The run has no artifact {name}.")
    with suppress(FileNotFoundError):
        if kept.blob_id is not None:
            return FileResponse(
                store.open(kept.sha256),
                as_attachment=True,
                filename=f"{run.pk}-{kept.name}",
                content_type=kept.media_type,
            )
    raise Http404(f"The bytes of {name} are gone; its hash stays: {kept.sha256}.")


@door(GET=Permission.DOWNLOAD_ARTIFACTS)
def artifacts_zip(request: WorkspaceRequest, workspace: Workspace, run_id: str) -> HttpResponseBase:
    run = get_run(request, workspace, run_id)
    if run.bundle is None:
        raise Http404("The run has no artifacts yet.")
    try:
        chunks = zip_stream(run.bundle)
    except ValidationError as error:
        messages.error(request, error.messages[0])
        return redirect("runs:artifacts", slug=workspace.slug, run_id=run.pk)
    response = StreamingHttpResponse(chunks, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{run.pk}.zip"'
    return response


def _verified(run: Run, kept: Kept) -> dict[str, Report | str]:
    """The report, or why there is none."""
    if run.bundle is None:
        return {"refused": "The run has no artifacts yet."}
    if kept.size > MOST_BYTES_VERIFIED:
        return {"refused": f"More than 100 MB take too long for a page: evalhub verify {run.pk}"}
    try:
        return {"report": bundles.verify(run.bundle)}
    except ValidationError as error:
        return {"refused": error.messages[0]}
