"""The upload form, and the page that shows how far the validation is."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import TooManyFilesSent, ValidationError
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django_htmx.http import HttpResponseClientRedirect

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.artifacts import store
from apps.datasets import formats
from apps.datasets.forms import TOO_LARGE, UploadForm, endings
from apps.datasets.models import Upload
from apps.datasets.uploading import uploads
from apps.datasets.uploading.pace import pace
from apps.datasets.uploading.parts import MOST_FILES, TOO_MANY, Parts
from apps.datasets.uploading.reading import MAX_BYTES
from apps.jobs.services import alive
from apps.web.rendering import render_page

FORM_BYTES = 500_000
"""What the other fields and the frame of a form may take beside the files."""


@csrf_exempt
@door(Permission.UPLOAD_DATASETS)
def upload(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    """The size is looked at first: the CSRF check, which `_checked` makes, reads the whole body."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) > MAX_BYTES + FORM_BYTES:
        return _refused(request, "file", TOO_LARGE, 413)
    try:
        answer: HttpResponse = _checked(request, workspace)
    except TooManyFilesSent:
        return _refused(request, "beside", TOO_MANY, 400)
    return answer


@csrf_protect
def _checked(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    if request.method != "POST":
        return _upload_page(request, _empty_form(request, workspace))
    form = UploadForm(request.POST, request.FILES, workspace=workspace)
    started = _started(request, form) if form.is_valid() else None
    if started is None:
        return _upload_page(request, form, status=400)
    address = reverse("datasets:upload-status", args=[workspace.slug, started.pk])
    if request.headers.get("x-requested-with") == "XMLHttpRequest":
        return JsonResponse({"location": address})
    return redirect(address)


def _started(request: WorkspaceRequest, form: UploadForm) -> Upload | None:
    parts: Parts = form.cleaned_data["parts"]
    try:
        return uploads.start_upload(
            workspace=request.workspace,
            blob=store.put(parts.main.chunks(), limit=MAX_BYTES),
            filename=parts.name,
            beside=uploads.keep_files(parts.chunks_beside()),
            by=request.user,
            options=form.options,
            request_id=request.request_id,
        )
    except ValidationError as error:
        form.add_error("beside", error)
        return None


@never_cache  # going back to it must not show the last, empty answer
@door(GET=Permission.VIEW_DATASETS)
def status(request: WorkspaceRequest, workspace: Workspace, upload_id: str) -> HttpResponse:
    """Polls its own fragment; when the upload has ended, the report takes over."""
    found = get_object_or_404(workspace.uploads, pk=upload_id)
    if not found.is_open:
        address = reverse("datasets:report", args=[workspace.slug, found.pk])
        return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
    now = timezone.now()
    return render_page(
        request,
        "datasets/upload_status.html",
        fragment="upload_progress",
        upload=found,
        pace=pace(found, now),
        nobody_works=found.phase == "waiting" and not alive("worker", now),
    )


@door(POST=Permission.UPLOAD_DATASETS)
def cancel(request: WorkspaceRequest, workspace: Workspace, upload_id: str) -> HttpResponse:
    found = get_object_or_404(workspace.uploads, pk=upload_id)
    if uploads.cancel(found, by=request.user, request_id=request.request_id):
        messages.success(request, f"{found.name} is cancelled: nothing of it was kept.")
    else:
        messages.info(request, f"{found.name} had ended already.")
    return redirect("datasets:report", slug=workspace.slug, upload_id=found.pk)


def _empty_form(request: WorkspaceRequest, workspace: Workspace) -> UploadForm:
    asked = {name: request.GET.get(name, "") for name in ("name", "format", "on")}
    return UploadForm(initial=asked, workspace=workspace, on=asked["on"])


def _refused(request: WorkspaceRequest, field: str, sentence: str, status: int) -> HttpResponse:
    """Of a body that is not looked at any further."""
    form = UploadForm({}, workspace=request.workspace)
    form.errors.clear()
    form.add_error(field, sentence)
    return _upload_page(request, form, status=status)


def _upload_page(request: WorkspaceRequest, form: UploadForm, **shown: Any) -> HttpResponse:
    return render_page(
        request,
        "datasets/upload.html",
        form=form,
        formats=formats.FORMATS.values(),
        endings=endings(),
        max_bytes=MAX_BYTES,
        most_files=MOST_FILES,
        **shown,
    )
