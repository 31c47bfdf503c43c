"""Comparisons as files."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import orjson
from django.core.exceptions import ValidationError
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.text import slugify

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.analysis.comparing import exporting
from apps.analysis.models import Comparison
from apps.analysis.showing import choosing, standing
from apps.analysis.showing.choosing import Chosen
from apps.analysis.showing.wanted import Wanted
from apps.runs.models import Run

from .comparing_choosing import choose

Written = Callable[[Run, Sequence[Comparison]], Iterable[str | bytes]]
"""From the baseline and its comparisons to the pieces of a file."""

LONGEST_NAME = 60

MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "agentv.json": "application/json",
}


@door(Permission.DOWNLOAD_ARTIFACTS)
def export_csv(request: WorkspaceRequest, workspace: Workspace) -> HttpResponseBase:
    """A line a pair, of every candidate."""
    return _export(request, workspace, "csv", exporting.pairs_csv)


@door(Permission.DOWNLOAD_ARTIFACTS)
def export_json(request: WorkspaceRequest, workspace: Workspace) -> HttpResponseBase:
    return _export(request, workspace, "json", _as_json(exporting.told))


@door(Permission.DOWNLOAD_ARTIFACTS)
def export_agentv(request: WorkspaceRequest, workspace: Workspace) -> HttpResponseBase:
    """As `agentv compare` writes it."""
    return _export(request, workspace, "agentv.json", _as_json(exporting.agentv_json))


def _export(
    request: WorkspaceRequest, workspace: Workspace, ending: str, written: Written
) -> HttpResponseBase:
    wanted = Wanted.of(request.GET)
    found = choosing.named(request.user, workspace, wanted)
    try:
        chosen = choosing.chosen(found, wanted)
        comparisons = standing.compared(chosen, chosen.candidates)
        standing.check_computed(comparisons)
        chunks = written(chosen.baseline.run, comparisons)
    except ValidationError as error:
        return choose(request, workspace, wanted, found, refused=error.messages[0])
    response = StreamingHttpResponse(chunks, content_type=MEDIA_TYPES[ending])
    response["Content-Disposition"] = f'attachment; filename="{_named(chosen)}.{ending}"'
    return response


def _named(chosen: Chosen) -> str:
    first, *others = (_safe(side.run) for side in chosen.candidates)
    more = f"-and-{len(others)}-more" if others else ""
    return f"{first}{more}-against-{_safe(chosen.baseline.run)}"


def _safe(run: Run) -> str:
    """Its name as any file system takes it, and the end of its id, for names repeat."""
    return f"{slugify(run.title)[:LONGEST_NAME].strip('-_') or 'run'}-{run.pk[-6:]}"


def _as_json(document: Callable[[Run, Sequence[Comparison]], Any]) -> Written:
    def written(baseline: Run, comparisons: Sequence[Comparison]) -> Iterable[bytes]:
        return [orjson.dumps(document(baseline, comparisons), option=orjson.OPT_INDENT_2)]

    return written
