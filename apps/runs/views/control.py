"""What people do to a run: each POST makes one call and says what came of it."""

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.runs import control
from apps.runs.beginning.follow_ups import follow_up
from apps.runs.models import Run
from apps.web.telling import tell

from .fetching import get_run


@door(POST=Permission.CONTROL_RUNS)
def cancel(request: WorkspaceRequest, workspace: Workspace, run_id: str) -> HttpResponse:
    run = get_run(request, workspace, run_id)
    return _told(
        request,
        run,
        lambda: control.cancel(run, by=request.user, now=timezone.now()),
        "Cancelled: nothing more is asked, the answers so far are kept.",
    )


@door(POST=Permission.CONTROL_RUNS)
def archive(request: WorkspaceRequest, workspace: Workspace, run_id: str) -> HttpResponse:
    run = get_run(request, workspace, run_id)
    return _told(
        request,
        run,
        lambda: control.archive(run, by=request.user, now=timezone.now()),
        "Archived: the run left the table and can be restored.",
    )


@door(POST=Permission.CONTROL_RUNS)
def restore(request: WorkspaceRequest, workspace: Workspace, run_id: str) -> HttpResponse:
    run = get_run(request, workspace, run_id)
    return _told(
        request,
        run,
        lambda: control.restore(run, by=request.user),
        "Restored: the run is in the table again.",
    )


@door(POST=Permission.START_RUNS)
def resume(request: WorkspaceRequest, workspace: Workspace, run_id: str) -> HttpResponse:
    run = get_run(request, workspace, run_id)
    return _followed(request, run, Run.Kind.RESUME, "asks what the cancelled run left")


@door(POST=Permission.START_RUNS)
def retry(request: WorkspaceRequest, workspace: Workspace, run_id: str) -> HttpResponse:
    run = get_run(request, workspace, run_id)
    return _followed(request, run, Run.Kind.RETRY, "asks again what failed")


def _followed(request: WorkspaceRequest, run: Run, kind: str, does: str) -> HttpResponse:
    try:
        child = follow_up(run, kind=kind, by=request.user, now=timezone.now())
    except ValidationError as error:
        messages.error(request, error.messages[0])
        return _to(run)
    messages.success(request, f"Started: this run {does} and carries the other answers over.")
    return _to(child)


def _told(
    request: WorkspaceRequest, run: Run, change: Callable[[], object], done: str
) -> HttpResponse:
    tell(request, change, done)
    return _to(run)


def _to(run: Run) -> HttpResponse:
    return redirect("runs:detail", slug=run.workspace.slug, run_id=run.pk)
