"""How many records or labels it takes to be sure."""

from django.http import HttpResponse, QueryDict

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.analysis.forms.planning import POINTS, PlanForm
from apps.analysis.planning.choosing import offered, usual
from apps.analysis.planning.plans import plan_for
from apps.runs.models import Run
from apps.web.rendering import render_page


@door(GET=Permission.VIEW_RUNS)
def planning(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    """Without a run in the address, of one that is worth it and another like it."""
    named = (request.GET.get("run", ""), request.GET.get("baseline", ""))
    runs = offered(request.user, workspace, named)
    form = PlanForm(_asked(request.GET, runs), runs=runs)
    plan = plan_for(request.user, form.wanted) if form.is_valid() else None
    return render_page(
        request,
        "analysis/planning.html",
        status=422 if form.errors else 200,
        tab="planning",
        runs=runs,
        form=form,
        plan=plan,
    )


def _asked(query: QueryDict, runs: list[Run]) -> QueryDict | None:
    """What the address says, with what it leaves out; None where there is nothing to choose."""
    if not runs and not query.get("run"):
        return None
    asked = query.copy()
    asked["points"] = asked.get("points") or f"{POINTS:g}"
    if not asked.get("run"):
        asked["run"], second = usual(runs)
        asked["baseline"] = asked.get("baseline") or second
    return asked
