"""Runs side by side."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.analysis.showing import choosing, pictures, sides, standing
from apps.analysis.showing.choosing import Chosen
from apps.analysis.showing.wanted import OF_WHAT, Wanted
from apps.web.rendering import render_page

from .comparing_choosing import choose, whole_address


@door(Permission.VIEW_RUNS)
def compare(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    """Fewer runs than two are chosen here, and so are others where somebody asks for it."""
    wanted = Wanted.of(request.GET)
    found = choosing.named(request.user, workspace, wanted)
    if request.GET.get("choose") or len(wanted.run) < choosing.LEAST:
        return choose(request, workspace, wanted, found)
    try:
        chosen = choosing.chosen(found, wanted)
        if whole := whole_address(request, chosen, wanted):
            return redirect(whole)
        comparisons = standing.compared(chosen, chosen.candidates)
    except ValidationError as error:
        return choose(request, workspace, wanted, found, refused=error.messages[0])
    stands = standing.standing(chosen, comparisons, wanted)
    runs = sides.lines_of(chosen)
    return render_page(
        request,
        "analysis/compare.html",
        fragment="compared",
        status=422 if stands.refused else 200,
        tab="compare",
        wanted=wanted,
        chosen=chosen,
        stands=stands,
        runs=runs,
        pictures=_pictures(chosen, stands, runs),
        everything=wanted.query(**dict.fromkeys(OF_WHAT, "")),
    )


def _pictures(
    chosen: Chosen, stands: standing.Standing, runs: Sequence[sides.Line]
) -> list[pictures.Shown]:
    if stands.detail.paired is None:
        return []
    return pictures.pictures_of(chosen, stands.detail.comparison, runs)
