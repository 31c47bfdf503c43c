"""The records behind a comparison, and one of them as each run answered it."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.analysis.comparing import PairArrays, arrays_of
from apps.analysis.models import Comparison
from apps.analysis.showing import choosing, moved, standing
from apps.analysis.showing.beside import Beside, beside, ordinals_alone, ordinals_of
from apps.analysis.showing.choosing import Chosen
from apps.analysis.showing.wanted import OF_ONE, OF_RECORDS, Wanted
from apps.analysis.showing.words import MOVES, amount, name_of
from apps.metrics.compared import PairedRuns
from apps.runs.queries.figures import family_label
from apps.web.rendering import render_page

from .comparing_choosing import choose, whole_address


@dataclass(frozen=True)
class Asked:
    """The runs, the comparison told in detail and the metric that the records are told by."""

    wanted: Wanted
    chosen: Chosen
    comparison: Comparison
    paired: PairedRuns
    metric: str

    @cached_property
    def arrays(self) -> PairArrays:
        return arrays_of(self.comparison, self.metric)

    @property
    def shown(self) -> dict[str, Any]:
        """What both pages show of it."""
        return {
            "tab": "compare",
            "wanted": self.wanted,
            "chosen": self.chosen,
            "name": name_of(self.metric),
            "query": self.wanted.query(page="", **dict.fromkeys(OF_ONE, "")),
            "back": self.wanted.query(**dict.fromkeys(OF_RECORDS, "")),
        }


@door(Permission.VIEW_RUNS)
def records(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    wanted = Wanted.of(request.GET)
    found = choosing.named(request.user, workspace, wanted)
    try:
        chosen = choosing.chosen(found, wanted)
        if whole := whole_address(request, chosen, wanted):
            return redirect(whole)
        asked = _asked(chosen, wanted)
    except ValidationError as error:
        return choose(request, workspace, wanted, found, refused=error.messages[0])
    return render_page(
        request,
        "analysis/compare_records.html",
        fragment="compare_records",
        **asked.shown,
        metric=asked.metric,
        metrics=[(each.metric, name_of(each.metric)) for each in asked.paired.whole],
        family_label=family_label(wanted.family),
        opened_address=_record(workspace, wanted, wanted.opened),
        closed_address=_records(workspace, wanted, **dict.fromkeys(OF_ONE, "")),
        **_page(asked),
    )


@door(Permission.VIEW_RUNS)
def record(request: WorkspaceRequest, workspace: Workspace, ordinal: int) -> HttpResponse:
    """The ordinal is the baseline's; the candidate's where the filter is of what it alone has."""
    wanted = Wanted.of(request.GET)
    found = choosing.named(request.user, workspace, wanted)
    try:
        chosen = choosing.chosen(found, wanted)
        if whole := whole_address(request, chosen, wanted):
            return redirect(whole)
        asked = _asked(chosen, wanted)
    except ValidationError as error:
        return choose(request, workspace, wanted, found, refused=error.messages[0])
    shown = _beside(asked, ordinal)
    return render_page(
        request,
        "analysis/compare_record.html",
        fragment="compare_record",
        **asked.shown,
        shown=shown,
        context_text=_as_text(shown.context),
        **_place(asked, workspace, ordinal),
    )


def _asked(chosen: Chosen, wanted: Wanted) -> Asked:
    """Raises ValidationError with a sentence where the address asks for what cannot be had."""
    [comparison] = standing.compared(chosen, [chosen.candidate])
    paired = standing.whole_of(comparison)
    return Asked(wanted, chosen, comparison, paired, standing.metric_of(paired, wanted))


def _page(asked: Asked) -> dict[str, Any]:
    where = (asked.comparison, asked.arrays, asked.wanted, asked.metric)
    kept = moved.found(*where)
    number = min(asked.wanted.number, kept.pages)
    return {
        "chips": standing.chips(moved.counts(*where), asked.wanted),
        "rows": moved.rows_of(asked.comparison, kept.places(number), asked.metric),
        "number": number,
        "pages": kept.pages,
        "previous_page": number - 1,
        "next_page": number + 1 if number < kept.pages else None,
        "total": len(kept),
    }


def _beside(asked: Asked, ordinal: int) -> Beside:
    """The record in every run that has it; 404 where none does."""
    chosen, wanted = asked.chosen, asked.wanted
    if wanted.move == moved.ALONE[1]:
        ordinals = ordinals_alone(chosen, ordinal)
    else:
        ordinals = ordinals_of(chosen, standing.compared(chosen, chosen.candidates), ordinal)
    shown = beside(chosen, ordinals, trial=wanted.of_trial, whole=bool(wanted.full))
    if shown is None:
        raise Http404(f"These runs have no record {ordinal}.")
    return shown


def _place(asked: Asked, workspace: Workspace, ordinal: int) -> dict[str, Any]:
    """What became of the record by the metric, and the addresses around it inside the filter."""
    kept = moved.found(asked.comparison, asked.arrays, asked.wanted, asked.metric)
    previous, following = kept.neighbours(ordinal)
    return {
        **_told(kept.place_of(ordinal), asked.metric),
        "shared_address": _records(
            workspace, asked.wanted, record=str(ordinal), page=str(kept.page_of(ordinal) or "")
        ),
        "page_address": _record(workspace, asked.wanted, ordinal),
        "previous_address": _record(workspace, asked.wanted, previous),
        "next_address": _record(workspace, asked.wanted, following),
        "diff_address": _record(workspace, asked.wanted, ordinal, full=""),
        "full_address": _record(workspace, asked.wanted, ordinal, full="1"),
    }


def _told(place: moved.Place | None, metric: str) -> dict[str, Any]:
    """Nothing where the filter leaves the record out, or only one run has it."""
    if place is None or place.move is None:
        return {}
    unit = name_of(metric).unit
    before, after = (amount(value, unit) for value in (place.before, place.after))
    return {"look": MOVES[place.move], "before": before, "after": after}


def _record(workspace: Workspace, wanted: Wanted, ordinal: int | None, **changes: str) -> str:
    """Where a record of the comparison is shown, inside the same filter."""
    if ordinal is None:
        return ""
    address = reverse("analysis:compare-record", args=[workspace.slug, ordinal])
    return f"{address}?{wanted.query(**{'page': '', 'record': '', **changes})}"


def _records(workspace: Workspace, wanted: Wanted, **changes: str) -> str:
    """Where the records of the comparison are listed, with one open over them or without."""
    address = reverse("analysis:compare-records", args=[workspace.slug])
    return f"{address}?{wanted.query(**changes)}"


def _as_text(value: Any) -> str:
    """JSON to read."""
    return json.dumps(value, ensure_ascii=False, indent=2) if value else ""
