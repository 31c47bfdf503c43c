"""The results of a run: the table by filter, one record, and both as files."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.urls import reverse

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets.sight import Sight
from apps.runs.ending import judgments
from apps.runs.models import Result, Run
from apps.runs.queries import (
    ResultFilter,
    Shown,
    counts_of,
    neighbours,
    results_of,
    rule_names,
    shown,
)
from apps.runs.queries.figures import family_label
from apps.runs.queries.labels import label_counts
from apps.runs.queries.progress import Counts
from apps.runs.queries.results import OUTCOME_LABELS, with_records
from apps.runs.queries.shown import state_of
from apps.runs.queries.trials import OfRecord, of_records
from apps.runs.telling import exports
from apps.web.csv import csv_stream
from apps.web.paging import keyset
from apps.web.rendering import render_page

from .detail import head
from .fetching import get_run, number_in
from .labels import beside
from .trials import PASSES, SCORES, TryLink, try_links

RULE_VERDICTS = ("fail", "warn", "error", "skip", "pass")


@door(Permission.VIEW_RUNS)
def results(request: WorkspaceRequest, workspace: Workspace, run_id: str) -> HttpResponse:
    run = get_run(request, workspace, run_id)
    counts, wanted = counts_of(run), _wanted(request)
    found = with_records(results_of(run, wanted))
    page = keyset(found, order=("ordinal", "trial"), cursor=request.GET.get("cursor"))
    return render_page(
        request,
        "runs/results.html",
        fragment="results",
        **head(run, counts, request.user),
        page=page,
        rows=_rows(run, page.items, wanted, Sight(workspace)),
        wanted=wanted,
        query=urlencode(wanted.given),
        causes=[group for group in counts.groups if group.cause],
        outcomes=_outcomes(counts),
        rules=rule_names(run),
        labels=label_counts(run),
        rule_verdicts=RULE_VERDICTS,
        slice_label=family_label(wanted.family),
    )


@door(Permission.VIEW_RUNS)
def record(
    request: WorkspaceRequest, workspace: Workspace, run_id: str, ordinal: int
) -> HttpResponse:
    run = get_run(request, workspace, run_id)
    trial = number_in(request, "trial", 0)
    found = shown(run, ordinal, trial)
    if found is None or (found.result is None and trial >= run.trials):
        raise Http404(f"The run {run} has no trial {trial + 1} of a record {ordinal}.")
    wanted = _wanted(request)
    previous, following = neighbours(results_of(run, wanted), ordinal, trial)
    return render_page(
        request,
        "runs/record.html",
        fragment="record",
        run=run,
        shown=found,
        **_tries(run, (ordinal, trial), wanted),
        **beside(run, found),
        cause_title=_cause_title(found),
        context_text=_as_text(found.context),
        expected_text=_as_text(found.expected),
        query=urlencode(wanted.given),
        page_address=_record_address(run, (ordinal, trial), wanted),
        previous_address=_record_address(run, previous, wanted),
        next_address=_record_address(run, following, wanted),
    )


@door(GET=Permission.DOWNLOAD_ARTIFACTS)
def export_csv(
    request: WorkspaceRequest, workspace: Workspace, run_id: str
) -> StreamingHttpResponse:
    run = get_run(request, workspace, run_id)
    rules = rule_names(run)
    rows = exports.table(run, results_of(run, _wanted(request)), rules)
    return _download(csv_stream(exports.header(rules), rows), run, "csv", "text/csv; charset=utf-8")


@door(GET=Permission.DOWNLOAD_ARTIFACTS)
def export_jsonl(
    request: WorkspaceRequest, workspace: Workspace, run_id: str
) -> StreamingHttpResponse:
    run = get_run(request, workspace, run_id)
    lines = exports.json_lines(run, results_of(run, _wanted(request)))
    return _download(lines, run, "jsonl", "application/x-ndjson")


@door(GET=Permission.DOWNLOAD_ARTIFACTS)
def export_judgments(
    request: WorkspaceRequest, workspace: Workspace, run_id: str
) -> StreamingHttpResponse:
    run = get_run(request, workspace, run_id)
    try:
        lines = judgments.json_lines(run, results_of(run, _wanted(request)))
    except ValidationError as error:
        raise Http404(error.messages[0]) from None
    return _download(lines, run, "jsonl", "application/x-ndjson", of="judgments")


def _download(
    chunks: Any, run: Run, ending: str, media_type: str, of: str = "results"
) -> StreamingHttpResponse:
    response = StreamingHttpResponse(chunks, content_type=media_type)
    response["Content-Disposition"] = f'attachment; filename="{run.pk}-{of}.{ending}"'
    return response


def _wanted(request: WorkspaceRequest) -> ResultFilter:
    """The filter that the address gives."""
    return ResultFilter.model_validate(request.GET.dict())


@dataclass(frozen=True)
class Row:
    """A result, what its badge says, the beginning of what was asked, its record's other tries."""

    result: Result
    state: str
    head: str
    of: OfRecord | None
    tries: Sequence[TryLink]


def _rows(run: Run, found: list[Result], wanted: ResultFilter, sight: Sight) -> list[Row]:
    records = of_records(run, (result.ordinal for result in found))
    query = urlencode(wanted.given)
    return [_row(run, result, records.get(result.ordinal), query, sight) for result in found]


def _row(run: Run, result: Result, of: OfRecord | None, query: str, sight: Sight) -> Row:
    links = try_links(run, result.ordinal, of, query, result.trial) if of else ()
    return Row(result, state_of(result), sight.text(result.record.head), of, links)


def _tries(run: Run, place: tuple[int, int], wanted: ResultFilter) -> dict[str, Any]:
    """What the page of one trial says of its record's others."""
    ordinal, trial = place
    of = of_records(run, [ordinal]).get(ordinal)
    if of is None:
        return {}
    return {
        "of": of,
        "tries": try_links(run, ordinal, of, urlencode(wanted.given), trial),
        "made_of": SCORES[run.over_trials],
        "passes_where": PASSES[run.over_trials].format(whose="its"),
    }


def _outcomes(counts: Counts) -> list[tuple[str, str, int]]:
    numbers = counts.denominators.model_dump()
    return [(name, label, numbers[name]) for name, label in OUTCOME_LABELS.items()]


def _record_address(run: Run, place: tuple[int, int] | None, wanted: ResultFilter) -> str:
    """Where a record of the run is shown, inside the same filter."""
    if place is None:
        return ""
    ordinal, trial = place
    address = reverse("runs:record", args=[run.workspace.slug, run.pk, ordinal])
    query = wanted.given | ({"trial": str(trial)} if trial else {})
    return f"{address}?{urlencode(query)}" if query else address


def _cause_title(found: Shown) -> str:
    return found.result.cause_title if found.result else ""


def _as_text(value: Any) -> str:
    """JSON to read."""
    return json.dumps(value, ensure_ascii=False, indent=2) if value else ""
