"""The runs table."""

from django.http import HttpResponse

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets.models import Dataset
from apps.metrics.contracts import Interval
from apps.runs.forms import RunFilterForm
from apps.runs.queries import rows_of, runs, targets_that_ran
from apps.runs.queries.listing import SORTS, concealed, filtered
from apps.web.charts import AxisRange, axis_range
from apps.web.paging import keyset
from apps.web.rendering import render_page


@door(Permission.VIEW_RUNS)
def run_list(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    form = _filter_form(request, workspace)
    wanted = form.wanted()
    found = filtered(runs(request.user, workspace), wanted, request.user)
    order = SORTS.get(request.GET.get("sort", ""), "-pk")
    page = keyset(found, order=(order,), cursor=request.GET.get("cursor"))
    rows = rows_of(page.items)
    return render_page(
        request,
        "runs/list.html",
        fragment="runs",
        form=form,
        narrowed=wanted.narrows,
        concealed=concealed(request.user, workspace),
        page=page,
        rows=rows,
        scale=scale_of([row.pass_rate for row in rows]),
        live=any(row.run.is_open for row in rows),
    )


def scale_of(intervals: list[Interval]) -> AxisRange:
    return axis_range([one for one in intervals if one.point is not None])


def _filter_form(request: WorkspaceRequest, workspace: Workspace) -> RunFilterForm:
    datasets = Dataset.objects.visible_to(request.user).filter(workspace=workspace)
    return RunFilterForm(
        request.GET,
        datasets=list(datasets.order_by("name").values_list("pk", "name")),
        targets=targets_that_ran(request.user, workspace),
    )
