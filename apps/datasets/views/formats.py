"""What people take along of a format: a template and a schema."""

import json

from django.http import Http404, HttpResponse

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets import formats


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


def _format(format_id: str) -> formats.Format:
    if format_id not in formats.FORMATS:
        raise Http404(f"There is no dataset format {format_id}.")
    return formats.FORMATS[format_id]
