"""The pages of traces: the list, and one with its steps."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets.sight import Sight
from apps.web.paging import keyset
from apps.web.rendering import render_page

from . import conversation, queries
from .models import Trace

STEPS = 50


@door(GET=Permission.VIEW_TRACES)
def index(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    wanted = _filter(request)
    found = queries.traces(workspace, wanted)
    return render_page(
        request,
        "traces/list.html",
        fragment="traces",
        page=keyset(found, ("-pk",), request.GET.get("cursor")),
        wanted=wanted,
        record=queries.record_of(workspace, wanted.record),
        query=request.GET.urlencode(),
        evidence=queries.evidence(workspace, Sight(workspace)),
    )


@door(GET=Permission.VIEW_TRACES)
def detail(request: WorkspaceRequest, workspace: Workspace, trace_id: str) -> HttpResponse:
    related = workspace.traces.select_related("upload__created_by")
    trace: Trace = get_object_or_404(related, pk=trace_id)
    sight = Sight(workspace)
    page = keyset(trace.events.all(), ("seq",), request.GET.get("cursor"), STEPS)
    return render_page(
        request,
        "traces/detail.html",
        fragment="steps",
        trace=trace,
        page=page,
        steps=queries.shown(trace, page.items, sight),
        redacted=sight.is_redacted,
        **_around(request, trace, sight),
    )


def _around(request: WorkspaceRequest, trace: Trace, sight: Sight) -> dict[str, Any]:
    """What stands beside the steps; nothing of it is needed to turn a page of them."""
    if request.htmx and not request.htmx.boosted:
        return {}
    return {
        "facts": conversation.facts_of(trace.about, sight.value),
        "records": queries.records_of(trace),
        "others": queries.beside(trace),
    }


def _filter(request: HttpRequest) -> queries.TraceFilter:
    return queries.TraceFilter(
        q=request.GET.get("q") or "",
        scenario=request.GET.get("scenario") or "",
        session=request.GET.get("session") or "",
        record=request.GET.get("record") or "",
    )
