"""Going on with an upload: the valid records only, a mapping, what a preview showed."""

import json
from typing import Any

import orjson
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets import formats, prompting
from apps.datasets.forms import AgainForm
from apps.datasets.models import Upload
from apps.datasets.sight import Sight
from apps.datasets.uploading import uploads
from apps.datasets.uploading.glimpses import glimpse
from apps.web.rendering import render_page


@door(POST=Permission.UPLOAD_DATASETS)
def again(request: WorkspaceRequest, workspace: Workspace, upload_id: str) -> HttpResponse:
    found = get_object_or_404(workspace.uploads, pk=upload_id)
    form = AgainForm(request.POST)
    if found.is_open or not form.is_valid():
        messages.error(request, "Choose what is to become of the upload once it has been read.")
        return redirect("datasets:report", slug=workspace.slug, upload_id=found.pk)
    try:
        started = uploads.again(
            found, by=request.user, request_id=request.request_id, **form.changes
        )
    except ValidationError as error:
        messages.error(request, error.messages[0])
        return redirect("datasets:report", slug=workspace.slug, upload_id=found.pk)
    return redirect("datasets:upload-status", slug=workspace.slug, upload_id=started.pk)


@door(GET=Permission.UPLOAD_DATASETS)
def mapping(request: WorkspaceRequest, workspace: Workspace, upload_id: str) -> HttpResponse:
    found = get_object_or_404(workspace.uploads, pk=upload_id)
    sight = Sight(workspace)
    return render_page(
        request, "datasets/mapping.html", upload=found, mapping=_mapping(found, sight)
    )


def choices(upload: Upload, sight: Sight) -> dict[str, Any]:
    """What a report asks of people: the records of a preview, the columns to map."""
    outcome = upload.outcome or {}
    shown: dict[str, Any] = {}
    if "preview" in outcome:
        shown["first"] = [_first(record, sight) for record in outcome["preview"]["records"]]
        shown["may_map"] = bool(outcome["preview"]["columns"])
    if outcome.get("code") == "mapping_needed":
        shown["mapping"] = _mapping(upload, sight)
    return shown


def _mapping(upload: Upload, sight: Sight) -> dict[str, Any]:
    """Each field of the format with the column it is taken from, and the file's first rows."""
    details = (upload.outcome or {}).get("details", {})
    seen = glimpse(upload, sight)
    columns = list(details.get("columns") or seen.columns)
    dialect = formats.FORMATS.get(upload.format)
    fields = list(dialect.columns if dialect else details.get("fields", ()))
    required = fields[: dialect.required_columns] if dialect else details.get("missing", [])
    chosen: dict[str, str] = upload.options.get("mapping", {})
    return {
        "columns": columns,
        "rows": seen.rows,
        "heads": seen.columns,
        "fields": [
            {
                "name": field,
                "required": field in required,
                "column": chosen.get(field) or (field if field in columns else ""),
            }
            for field in fields
        ],
    }


def _first(record: dict[str, str], sight: Sight) -> dict[str, Any]:
    payload = sight.value(orjson.loads(record["payload"]))
    return {
        "record_id": record["record_id"],
        "asked": prompting.messages(payload) if _asks(payload) else (),
        "reference": prompting.reference_of(payload) if _asks(payload) else None,
        "answer": prompting.answer_of(payload) if _asks(payload) else None,
        "row": json.dumps(payload.get("row", payload), indent=2, ensure_ascii=False),
    }


def _asks(payload: dict[str, Any]) -> bool:
    return prompting.kind_of(payload) in prompting.KINDS
