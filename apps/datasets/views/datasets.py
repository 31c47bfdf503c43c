"""The list of datasets, and one dataset with its versions."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets import queries
from apps.datasets.forms import dataset_filter
from apps.datasets.uploading import uploads
from apps.web.paging import keyset
from apps.web.rendering import render_page


@door(GET=Permission.VIEW_DATASETS)
def index(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    wanted = dataset_filter(request.GET)
    found = queries.datasets(workspace, wanted)
    return render_page(
        request,
        "datasets/list.html",
        fragment="datasets",
        page=keyset(found, ("-latest", "-pk"), request.GET.get("cursor")),
        wanted=wanted,
        uploads=queries.recent_uploads(workspace),
    )


@door(GET=Permission.VIEW_DATASETS)
def detail(request: WorkspaceRequest, workspace: Workspace, dataset_id: str) -> HttpResponse:
    dataset = get_object_or_404(queries.with_latest(workspace.datasets.all()), pk=dataset_id)
    return render_page(
        request,
        "datasets/detail.html",
        fragment="versions",
        dataset=dataset,
        page=keyset(queries.versions(dataset), ("-pk",), request.GET.get("cursor")),
    )


@door(POST=Permission.ARCHIVE_DATASETS)
def archive(request: WorkspaceRequest, workspace: Workspace, dataset_id: str) -> HttpResponse:
    return _set_archived(request, workspace, dataset_id, True)


@door(POST=Permission.ARCHIVE_DATASETS)
def restore(request: WorkspaceRequest, workspace: Workspace, dataset_id: str) -> HttpResponse:
    return _set_archived(request, workspace, dataset_id, False)


def _set_archived(
    request: WorkspaceRequest, workspace: Workspace, dataset_id: str, archived: bool
) -> HttpResponse:
    dataset = get_object_or_404(workspace.datasets, pk=dataset_id)
    uploads.set_archived(dataset, archived, by=request.user, request_id=request.request_id)
    word = "archived: find it under Archived" if archived else "back in the list"
    messages.success(request, f"{dataset.name} is {word}.")
    return redirect("datasets:detail", slug=workspace.slug, dataset_id=dataset.pk)
