"""Making a run of the answers that came with a dataset version, or of its scenarios' traces."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets.models import DatasetVersion
from apps.runs.recorded.recording import recorded_run


@door(POST=Permission.START_RUNS)
def recorded(request: WorkspaceRequest, workspace: Workspace, version_id: str) -> HttpResponse:
    """To the run, made when first somebody asks for it; back with the reason where none can be."""
    versions = DatasetVersion.objects.filter(dataset__workspace=workspace)
    version = get_object_or_404(versions.select_related("dataset__workspace"), pk=version_id)
    try:
        run = recorded_run(version, by=request.user, now=timezone.now())
    except ValidationError as error:
        messages.error(request, error.messages[0])
        return redirect("datasets:version", slug=workspace.slug, version_id=version.pk)
    return redirect("runs:detail", slug=workspace.slug, run_id=run.pk)
