"""One version of a dataset: its records, its slices, its document."""

import json
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse

from apps.accounts.doors import WorkspaceRequest, authorise, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets import formats, purposes, queries, withholding
from apps.datasets.contracts import Unfit
from apps.datasets.describing import described
from apps.datasets.exporting import taking
from apps.datasets.exporting import writing as exporting
from apps.datasets.forms import record_filter
from apps.datasets.models import DatasetVersion, Record, UploadFile
from apps.datasets.sight import Sight
from apps.web.paging import Page, keyset
from apps.web.rendering import render_page

NOTHING = (None, "")
SENT_THROUGH = {"page": "Through the form", "api": "Through the API", "command": "By a command"}


@door(GET=Permission.VIEW_DATASETS)
def version(request: WorkspaceRequest, workspace: Workspace, version_id: str) -> HttpResponse:
    with_payload = queries.with_first_payload(queries.versions_in(workspace))
    found = get_object_or_404(with_payload, pk=version_id)
    wanted = record_filter(request.GET)
    withholding.check_filter(request.user, found, wanted.facets)
    records = queries.listed(queries.records(found, wanted))
    page = keyset(records, ("ordinal",), request.GET.get("cursor"))
    sight = Sight(workspace)
    files = queries.files_of(found)
    return render_page(
        request,
        "datasets/version.html",
        fragment="records",
        version=found,
        upload=files[0].upload if files else None,
        files=files,
        sent_through=SENT_THROUGH.get(files[0].upload.via, "") if files else "",
        title=formats.FORMATS[found.format].title if found.format in formats.FORMATS else "",
        exports=_exports(request, found, files),
        wanted=wanted,
        page=page,
        rows=_rows(found, page, sight),
        groups=_groups(request, found),
        header=_header(found, sight),
        query=request.GET.urlencode(),
    )


@door(GET=Permission.VIEW_DATASETS)
def record(
    request: WorkspaceRequest, workspace: Workspace, version_id: str, ordinal: int
) -> HttpResponse:
    found = version_of(workspace, version_id)
    item = get_object_or_404(found.records, ordinal=ordinal)
    withholding.check_record(request.user, item)
    wanted = record_filter(request.GET)
    withholding.check_filter(request.user, found, wanted.facets)
    beside = queries.neighbours(found, ordinal, wanted)
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
        **_shown(queries.payload_of(item, sight)),
    )


@door(GET=Permission.VIEW_DATASETS)
def download(request: WorkspaceRequest, workspace: Workspace, version_id: str) -> HttpResponseBase:
    """The version as a file; a sentence instead where it does not fit the format."""
    found = version_of(workspace, version_id)
    wanted = request.GET.get("format") or found.format
    authorise(request.membership, purposes.needed_for(wanted))
    withholding.check_export(request.user, found, wanted)
    try:
        return taking.export_response(found, wanted, Sight(workspace))
    except Unfit as unfit:
        return _unfit(request, found, wanted, str(unfit), 409)
    except ValidationError as error:
        return _unfit(request, found, wanted, error.messages[0], 400)


def _unfit(
    request: WorkspaceRequest, found: DatasetVersion, wanted: str, sentence: str, status: int
) -> HttpResponse:
    dialect = formats.FORMATS.get(wanted)
    return render_page(
        request,
        "datasets/unfit.html",
        status=status,
        version=found,
        title=dialect.title if dialect else wanted,
        sentence=sentence,
        exports=_exports(request, found),
    )


def _exports(
    request: WorkspaceRequest, found: DatasetVersion, files: Sequence[UploadFile] | None = None
) -> list[tuple[str, str]]:
    """What this member may take along."""
    first = getattr(found, "first_payload", None)
    may_export = withholding.exports_open_to(request.user, found)
    return [
        (format_id, title)
        for format_id, title in exporting.exportable(found, first, files)
        if request.membership.allows(purposes.needed_for(format_id)) and may_export(format_id)
    ]


def _groups(request: WorkspaceRequest, found: DatasetVersion) -> list[queries.FacetGroup]:
    groups = queries.facet_groups(found)
    families = [each.family for each in groups]
    hidden = withholding.withheld_families(request.user, found, families)
    return [each for each in groups if each.family not in hidden]


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
    said = {name: value for name, value in {**header, **metadata}.items() if value not in NOTHING}
    return [
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in said.items()
    ]


def _shown(payload: dict[str, Any]) -> dict[str, Any]:
    """A record of Dataset Contract v1 by its fields; of any other kind what its row says."""
    return {"described": described(payload)} if "row" in payload else _parts(payload)


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


def version_of(workspace: Workspace, version_id: str) -> DatasetVersion:
    return get_object_or_404(queries.versions_in(workspace), pk=version_id)
