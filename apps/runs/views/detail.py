"""The page of one run: live while it runs, all numbers from stored rows."""

from typing import Any

from django.http import HttpResponse
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import User, Workspace
from apps.accounts.permissions import Permission
from apps.jobs.services import alive
from apps.runs.later.calibrated import VERDICT, held_against_people
from apps.runs.later.gated import said_of
from apps.runs.models import Run, RunTarget
from apps.runs.queries import children_of, counts_of, figures_of, progress_of, work_of
from apps.runs.queries.figures import Figures, SliceView, pass_rate_before
from apps.runs.queries.labels import label_counts
from apps.runs.queries.listing import target_of
from apps.runs.queries.progress import Counts
from apps.web.rendering import render_page

from . import panels, pictures
from .fetching import get_run, number_in, offered
from .imported import imported
from .trials import trials


@door(Permission.VIEW_RUNS)
def detail(request: WorkspaceRequest, workspace: Workspace, run_id: str) -> HttpResponse:
    run = get_run(request, workspace, run_id)
    counts = counts_of(run)
    only_progress = request.htmx and request.htmx.target == "progress"
    return render_page(
        request,
        "runs/detail.html",
        fragment=("progress", "figures"),
        **head(run, counts, request.user),
        **_progress(run, counts),
        **({} if only_progress else _figures(request, run, counts)),
    )


def head(run: Run, counts: Counts, user: User) -> dict[str, Any]:
    """What the head of every page of a run shows."""
    return {
        "run": run,
        "found": counts.denominators,
        "target": target_of(run),
        "offered": offered(run, counts.denominators),
        "gates": None if run.is_open else said_of(run, user),
    }


def _progress(run: Run, counts: Counts) -> dict[str, Any]:
    now = timezone.now()
    work = work_of(run) if run.is_open else None
    progress = progress_of(run, counts, work, now)
    return {
        "work": work,
        "progress": progress,
        "segments": panels.segments(progress),
        "retry_in": work and work.next_retry_at and work.next_retry_at - now,
        "took": run.completed_at and run.started_at and run.completed_at - run.started_at,
    }


def _figures(request: WorkspaceRequest, run: Run, counts: Counts) -> dict[str, Any]:
    figures = figures_of(run)
    spec = run.contract_version.parsed if run.contract_version else None
    checks = panels.checks(spec, figures)
    held = held_against_people(run)
    given = imported(run, figures, held)
    return {
        "figures": figures,
        "kpis": panels.key_figures(figures),
        "notes": panels.notes(figures),
        "verdict_held": held.get(VERDICT),
        "asks_judges": any(party["role"] == RunTarget.Role.JUDGE for party in run.plan["targets"]),
        "before": pass_rate_before(run),
        "per_thousand": _per_thousand(figures, run),
        "failed_share": panels.share(counts.denominators.failed, counts.denominators.valid),
        "checks": checks,
        "checked": panels.checked(checks),
        "scores": pictures.scores(figures),
        "trials": trials(run, figures),
        "rules": panels.rules(spec, figures, given.labels if given else (), held),
        "imported": given,
        "latency": pictures.latency(figures),
        "failures": panels.failures(run, counts),
        "labels": label_counts(run),
        "workers": alive("worker", timezone.now()) if run.is_open else None,
        "children": [] if run.is_open else children_of(run),
        **panels.slices(run, _view(request), spec),
    }


def _view(request: WorkspaceRequest) -> SliceView:
    return SliceView(
        family=request.GET.get("family", ""),
        sort=request.GET.get("sort", "-n"),
        number=number_in(request, "page", 1),
    )


def _per_thousand(figures: Figures, run: Run) -> dict[str, float | None]:
    """What a thousand would cost at the rate of this run: without judges, and with them."""
    mean = figures.of("cost_mean")
    alone = None if mean.point is None else 1_000 * mean.point
    return {"alone": alone, "judged": 1_000 * run.spent / mean.n if mean.n else None}
