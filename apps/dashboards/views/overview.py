"""Pages that show several chapters: the overview of a workspace, and search."""

from typing import Any

from django.http import HttpResponse
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.dashboards import queries
from apps.dashboards.installation import workers
from apps.dashboards.search import FEWEST_LETTERS, search
from apps.labeling.members.waiting import count_waiting
from apps.metrics.contracts import Interval
from apps.runs.queries import RunRow
from apps.web.charts import AxisRange, axis_range
from apps.web.rendering import render_page


@door(Permission.VIEW_WORKSPACE)
def overview(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    if request.htmx and not request.htmx.boosted and not request.htmx.history_restore_request:
        found = queries.running(request.user, workspace)
        shown: dict[str, Any] = {"running": found, "running_scale": _scale(found)}
    else:
        shown = _whole(request, workspace)
    return render_page(request, "dashboards/overview.html", fragment="running", **shown)


@door(Permission.VIEW_WORKSPACE)
def find(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    found = search(request.user, workspace, request.GET.get("q", ""))
    return render_page(
        request, "dashboards/search.html", found=found, too_short=len(found.text) < FEWEST_LETTERS
    )


def _whole(request: WorkspaceRequest, workspace: Workspace) -> dict[str, Any]:
    user, now = request.user, timezone.now()
    activity = queries.activity(user, workspace)
    versions = queries.recent_versions(user, workspace)
    up = workers(now)
    recent = activity.ended[: queries.RECENT_SHOWN]
    return {
        "running": activity.running,
        "running_scale": _scale(activity.running),
        "recent": recent,
        "recent_scale": _scale(recent),
        "versions": versions,
        "to_label": _to_label(request, workspace),
        "workers": up,
        "attention": queries.attention(user, workspace, activity, up, now),
        "steps": queries.first_steps(user, workspace, bool(versions)) if activity.is_empty else [],
    }


def _to_label(request: WorkspaceRequest, workspace: Workspace) -> int:
    labels = request.membership.allows(Permission.LABEL_ANSWERS)
    return count_waiting(request.user, workspace) if labels else 0


def _scale(rows: list[RunRow]) -> AxisRange:
    rates: list[Interval] = [row.pass_rate for row in rows if row.pass_rate.point is not None]
    return axis_range(rates)
