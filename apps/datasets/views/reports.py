"""What was wrong with an upload: to look at, to filter and to take along."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets import queries
from apps.datasets.models import Upload
from apps.datasets.sight import Sight
from apps.datasets.uploading.pace import records_a_second
from apps.datasets.withholding import check_upload
from apps.web.csv import csv_stream
from apps.web.paging import keyset
from apps.web.rendering import render_page

from .deciding import choices

PAGE = 100
COLUMNS = ("line", "index", "record_id", "severity", "code", "path", "message", "hint", "value")

NEXT_STEPS = {
    400: "Nothing of it was kept. Correct the file and upload it again.",
    409: "Nothing of it was kept. Give the file another dataset_version and upload it again, or go "
    "on with the version that stands.",
    413: "Nothing of it was kept. Split the dataset into parts of 100 MB at most.",
    500: "Nothing of it was kept. Upload it again; if it fails once more, tell your admin the id "
    "of the upload.",
}


@door(GET=Permission.VIEW_DATASETS)
def report(request: WorkspaceRequest, workspace: Workspace, upload_id: str) -> HttpResponse:
    upload = _upload(request, workspace, upload_id)
    if upload.is_open:
        return redirect("datasets:upload-status", slug=workspace.slug, upload_id=upload.pk)
    outcome = upload.outcome or {}
    sight = Sight(workspace)
    return render_page(
        request,
        "datasets/report.html",
        fragment="issues",
        upload=upload,
        refusal=outcome if "code" in outcome else None,
        next_step=NEXT_STEPS.get(outcome.get("status", 0), ""),
        preview=_preview(upload, sight),
        speed=records_a_second(upload),
        **choices(upload, sight),
        **_issues_shown(request, upload, sight),
    )


@door(GET=Permission.VIEW_DATASETS)
def issues_csv(
    request: WorkspaceRequest, workspace: Workspace, upload_id: str
) -> StreamingHttpResponse:
    upload = _upload(request, workspace, upload_id)
    rows = ([issue[name] for name in COLUMNS] for issue in _issues(request, upload))
    return _download(csv_stream(COLUMNS, rows), "text/csv; charset=utf-8", f"{upload.pk}.csv")


@door(GET=Permission.VIEW_DATASETS)
def issues_jsonl(
    request: WorkspaceRequest, workspace: Workspace, upload_id: str
) -> StreamingHttpResponse:
    upload = _upload(request, workspace, upload_id)
    lines = (json.dumps(issue) + "\n" for issue in _issues(request, upload))
    return _download(lines, "application/x-ndjson", f"{upload.pk}.jsonl")


def _issues_shown(request: WorkspaceRequest, upload: Upload, sight: Sight) -> dict[str, Any]:
    codes = request.GET.getlist("code")
    counts = queries.code_counts(upload)
    page = keyset(queries.issues(upload, codes), ("seq",), request.GET.get("cursor"), PAGE)
    return {
        "counts": counts,
        "listed": sum(count.n for count in counts),
        "found": sum(count.n for count in counts if not codes or count.code in codes),
        "page": page,
        "rows": [(issue, sight.text(issue.value)) for issue in page.items],
        "has_lines": any(issue.line is not None for issue in page.items),
        "chosen": urlencode([("code", code) for code in codes]),
    }


def _issues(request: WorkspaceRequest, upload: Upload) -> Iterator[dict[str, Any]]:
    sight = Sight(request.workspace)
    found = queries.issues(upload, request.GET.getlist("code")).order_by("seq")
    for issue in found.values(*COLUMNS).iterator(chunk_size=1000):
        yield {**issue, "value": sight.text(issue["value"])}


def _download(pieces: Iterator[str], content_type: str, name: str) -> StreamingHttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="issues-{name}"'}
    return StreamingHttpResponse(pieces, content_type=content_type, headers=headers)


def _preview(upload: Upload, sight: Sight) -> list[dict[str, Any]]:
    if upload.version is None or (upload.outcome or {}).get("told"):
        return []
    return [
        {"record": record, "head": sight.text(record.head)}
        for record in queries.preview(upload.version)
    ]


def _upload(request: WorkspaceRequest, workspace: Workspace, upload_id: str) -> Upload:
    related = workspace.uploads.select_related("created_by", "version__dataset")
    upload = get_object_or_404(related, pk=upload_id)
    check_upload(request.user, upload)
    return upload
