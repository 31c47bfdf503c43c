"""The upload form, and the page that shows how far the validation is."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django_htmx.http import HttpResponseClientRedirect

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.artifacts import store
from apps.datasets import formats, uploads
from apps.datasets.forms import TOO_LARGE, UploadForm
from apps.datasets.reading import MAX_BYTES
from apps.jobs.services import alive
from apps.web.rendering import render_page

FORM_BYTES = 100_000
"""What the other fields and the frame of a form may take beside the file."""


@csrf_exempt
@door(Permission.UPLOAD_DATASETS)
def upload(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    """The size is looked at first: the CSRF check, which `_checked` makes, reads the whole body."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) > MAX_BYTES + FORM_BYTES:
        form = UploadForm({})
        form.errors.clear()
        form.add_error("file", TOO_LARGE)
        return _upload_page(request, form, status=413)
    answer: HttpResponse = _checked(request, workspace)
    return answer


@csrf_protect
def _checked(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    if request.method != "POST":
        return _upload_page(request, UploadForm(initial={"name": request.GET.get("name", "")}))
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _upload_page(request, form, status=400)
    started = uploads.start_upload(
        workspace=workspace,
        blob=store.put(form.cleaned_data["file"].chunks(), limit=MAX_BYTES),
        filename=form.cleaned_data["file"].name,
        by=request.user,
        options=form.options,
        request_id=request.request_id,
    )
    address = reverse("datasets:upload-status", args=[workspace.slug, started.pk])
    if request.headers.get("x-requested-with") == "XMLHttpRequest":
        return JsonResponse({"location": address})
    return redirect(address)


@door(GET=Permission.VIEW_DATASETS)
def status(request: WorkspaceRequest, workspace: Workspace, upload_id: str) -> HttpResponse:
    """Polls its own fragment; when the upload has ended, the report takes over."""
    found = get_object_or_404(workspace.uploads, pk=upload_id)
    if not found.is_open:
        address = reverse("datasets:report", args=[workspace.slug, found.pk])
        return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
    return render_page(
        request,
        "datasets/upload_status.html",
        fragment="upload_progress",
        upload=found,
        nobody_works=found.phase == "waiting" and not alive("worker", timezone.now()),
    )


@door(POST=Permission.UPLOAD_DATASETS)
def cancel(request: WorkspaceRequest, workspace: Workspace, upload_id: str) -> HttpResponse:
    found = get_object_or_404(workspace.uploads, pk=upload_id)
    if uploads.cancel(found, by=request.user, request_id=request.request_id):
        messages.success(request, f"{found.name} is cancelled: nothing of it was kept.")
    else:
        messages.info(request, f"{found.name} had ended already.")
    return redirect("datasets:report", slug=workspace.slug, upload_id=found.pk)


def _upload_page(request: WorkspaceRequest, form: UploadForm, **shown: Any) -> HttpResponse:
    return render_page(
        request,
        "datasets/upload.html",
        form=form,
        formats=formats.FORMATS.values(),
        max_bytes=MAX_BYTES,
        **shown,
    )
