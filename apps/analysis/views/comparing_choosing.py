"""Choosing the runs that are compared: what every page of comparing begins with."""

from django.http import HttpResponse

from apps.accounts.doors import WorkspaceRequest
from apps.accounts.models import Workspace
from apps.analysis.showing import choosing
from apps.analysis.showing.choosing import Chosen
from apps.analysis.showing.wanted import Wanted
from apps.runs.models import Run
from apps.runs.queries import rows_of
from apps.web.rendering import render_page


def choose(
    request: WorkspaceRequest,
    workspace: Workspace,
    wanted: Wanted,
    ticked: list[Run],
    refused: str = "",
) -> HttpResponse:
    offered = choosing.offered(request.user, workspace, ticked, wanted.q)
    return render_page(
        request,
        "analysis/compare_choose.html",
        fragment="compare_choose",
        status=422 if refused else 200,
        tab="compare",
        wanted=wanted,
        refused=refused,
        ticked=rows_of(ticked),
        offered=rows_of(offered),
    )


def whole_address(request: WorkspaceRequest, chosen: Chosen, wanted: Wanted) -> str:
    """Where a page stands that names no baseline: another may be approved tomorrow, and the same
    address then still shows the same. Empty where it names one."""
    complete = choosing.completed(chosen, wanted)
    return f"{request.path}?{complete}" if complete else ""
