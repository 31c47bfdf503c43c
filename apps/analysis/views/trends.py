"""The pages of trends, of boards and of records that flicker."""

from urllib.parse import urlencode

from django.http import HttpResponse

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.analysis.forms.trends import BoardForm, TrendForm
from apps.analysis.showing.choosing import MOST as MOST_COMPARED
from apps.analysis.trends.following import follow
from apps.analysis.trends.standing import Standing, standing
from apps.analysis.trends.telling import picture_of, scale_of, told, told_parts
from apps.analysis.trends.wanted import BoardWanted, TrendWanted
from apps.runs.queries.listing import concealed
from apps.web.rendering import render_page


@door(Permission.VIEW_RUNS)
def trends(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    found = follow(request.user, workspace, TrendWanted.of(request.GET))
    wanted, series = found.wanted, found.series
    return render_page(
        request,
        "analysis/trends.html",
        fragment="trend",
        tab="trends",
        form=TrendForm(
            choices=found.choices,
            metrics=found.offered.metrics,
            slices=found.offered.slices,
            is_mixed=found.is_mixed,
            initial={**wanted.model_dump(exclude={"since"}), "from": wanted.moment},
        ),
        found=found,
        wanted=wanted,
        series=series,
        told=told(series),
        parts=told_parts(found.others, wanted, series.name.unit),
        together=wanted.query(mixed="on"),
        picture=picture_of(series),
        scale=scale_of(series),
        concealed=concealed(request.user, workspace),
    )


@door(Permission.VIEW_RUNS)
def leaderboard(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    found = standing(request.user, workspace, BoardWanted.of(request.GET))
    return render_page(
        request,
        "analysis/leaderboard.html",
        fragment="leaderboard",
        tab="leaderboard",
        form=_board_form(found),
        standing=found,
        shown=found.shown,
        concealed=concealed(request.user, workspace),
    )


@door(Permission.VIEW_RUNS)
def flickering(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    found = standing(request.user, workspace, BoardWanted.of(request.GET))
    return render_page(
        request,
        "analysis/leaderboard_flickering.html",
        tab="leaderboard",
        standing=found,
        flickers=found.flickers,
        back=found.wanted.query(page="", kind=""),
        compared=urlencode([("run", run.pk) for run in found.found.runs[:MOST_COMPARED]]),
    )


def _board_form(found: Standing) -> BoardForm:
    return BoardForm(
        versions=found.versions,
        contracts=found.found.contracts,
        metrics=found.metrics,
        initial=found.wanted.model_dump(),
    )
