"""One version of a dataset: its records, its slices, its document."""

import json
from typing import Any

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets import formats, queries
from apps.datasets.forms import record_filter
from apps.datasets.models import DatasetVersion, Record
from apps.datasets.sight import Sight
from apps.web.paging import Page, keyset
from apps.web.rendering import render_page


@door(GET=Permission.VIEW_DATASETS)
def version(request: WorkspaceRequest, workspace: Workspace, version_id: str) -> HttpResponse:
    found = _version(workspace, version_id)
    wanted = record_filter(request.GET)
    records = queries.listed(queries.records(found, wanted))
    page = keyset(records, ("ordinal",), request.GET.get("cursor"))
    sight = Sight(workspace)
    return render_page(
        request,
        "datasets/version.html",
        fragment="records",
        version=found,
        upload=found.uploads.order_by("pk").first(),
        wanted=wanted,
        page=page,
        rows=_rows(found, page, sight),
        groups=queries.facet_groups(found),
        header=_header(found, sight),
        query=request.GET.urlencode(),
    )


@door(GET=Permission.VIEW_DATASETS)
def record(
    request: WorkspaceRequest, workspace: Workspace, version_id: str, ordinal: int
) -> HttpResponse:
    found = _version(workspace, version_id)
    item = get_object_or_404(found.records, ordinal=ordinal)
    beside = queries.neighbours(found, ordinal, record_filter(request.GET))
    query = request.GET.urlencode()
    sight = Sight(workspace)
    return render_page(
        request,
        "datasets/record.html",
        fragment="record",
        version=found,
        record=item,
        redacted=sight.is_redacted,
        address=_record_address(found, ordinal, query),
        previous=_record_address(found, beside.previous, query),
        next=_record_address(found, beside.next, query),
        **_parts(queries.payload_of(item, sight)),
    )


@door(GET=Permission.VIEW_DATASETS)
def download(
    request: WorkspaceRequest, workspace: Workspace, version_id: str
) -> StreamingHttpResponse:
    found = _version(workspace, version_id)
    name = f"{found.header['dataset_id']}-{found.pk}.json"
    return StreamingHttpResponse(
        queries.document_of(found, Sight(workspace)),
        content_type=formats.FORMATS[found.format].media_types[0],
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@door(GET=Permission.VIEW_DATASETS)
def format_template(
    request: WorkspaceRequest, workspace: Workspace, format_id: str
) -> HttpResponse:
    dialect = _format(format_id)
    headers = {"Content-Disposition": f'attachment; filename="{dialect.template_name}"'}
    return HttpResponse(dialect.template, dialect.media_types[0], headers=headers)


@door(GET=Permission.VIEW_DATASETS)
def format_schema(request: WorkspaceRequest, workspace: Workspace, format_id: str) -> HttpResponse:
    dialect = _format(format_id)
    name = f"{dialect.id}.schema.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    spelled = json.dumps(dialect.json_schema(), indent=2)
    return HttpResponse(spelled, "application/schema+json", headers=headers)


def _rows(version: DatasetVersion, page: Page[Record], sight: Sight) -> list[dict[str, Any]]:
    tags = queries.tags_of(version, [record.ordinal for record in page.items])
    return [
        {
            "record": record,
            "head": sight.text(record.head),
            "tags": tags.get(record.ordinal, []),
        }
        for record in page.items
    ]


def _header(version: DatasetVersion, sight: Sight) -> list[tuple[str, str]]:
    """What the document says of itself, the metadata flat."""
    header = sight.value(version.header)
    metadata = header.pop("metadata", {})
    said = {name: value for name, value in {**header, **metadata}.items() if value is not None}
    return [
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in said.items()
    ]


def _parts(payload: dict[str, Any]) -> dict[str, Any]:
    """The payload, and what no field of its own shows, spelled out."""
    return {
        "payload": payload,
        "more_input": _spelled(payload.get("input"), without="prompt"),
        "more_reference": _spelled(payload.get("reference"), without="answer"),
        "metadata": _spelled(payload.get("metadata")),
    }


def _spelled(fields: Any, without: str = "") -> str:
    if not isinstance(fields, dict):
        return ""
    shown = {name: value for name, value in fields.items() if name != without}
    return json.dumps(shown, indent=2, ensure_ascii=False) if shown else ""


def _record_address(version: DatasetVersion, ordinal: int | None, query: str) -> str:
    if ordinal is None:
        return ""
    slug = version.dataset.workspace.slug
    address = reverse("datasets:record", args=[slug, version.pk, ordinal])
    return f"{address}?{query}" if query else address


def _version(workspace: Workspace, version_id: str) -> DatasetVersion:
    versions = DatasetVersion.objects.filter(dataset__workspace=workspace)
    return get_object_or_404(
        versions.select_related("dataset__workspace", "created_by"), pk=version_id
    )


def _format(format_id: str) -> formats.Format:
    if format_id not in formats.FORMATS:
        raise Http404(f"There is no dataset format {format_id}.")
    return formats.FORMATS[format_id]
