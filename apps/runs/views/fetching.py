"""The run that an address names, for those who may see it, and what may be done with it."""

from django.shortcuts import get_object_or_404

from apps.accounts.doors import WorkspaceRequest
from apps.accounts.models import Workspace
from apps.contract import Contract
from apps.runs.control import CANCELLABLE
from apps.runs.models import Run
from apps.runs.queries import run_to_show
from apps.runs.queries.progress import Denominators


class Offered(Contract):
    """Which buttons the page of a run shows, the role apart."""

    cancel: bool
    cancelling: bool
    resume: bool
    retry: bool
    regrade: bool
    archive: bool
    restore: bool


def get_run(request: WorkspaceRequest, workspace: Workspace, run_id: str) -> Run:
    run: Run = get_object_or_404(run_to_show(request.user, workspace), pk=run_id)
    return run


def number_in(request: WorkspaceRequest, name: str, otherwise: int) -> int:
    """A small number that the address gives."""
    text = request.GET.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 6 else otherwise


def offered(run: Run, found: Denominators) -> Offered:
    asked, regrades = run.cancel_requested_at is not None, run.kind == Run.Kind.REGRADE
    return Offered(
        cancel=run.state in CANCELLABLE and not asked,
        cancelling=run.is_open and asked,
        resume=not run.is_open and not regrades and found.skipped > 0,
        retry=not run.is_open and not regrades and found.failed > 0,
        regrade=not run.is_open and (regrades or found.evaluated + found.failed > 0),
        archive=not run.is_open and run.archived_at is None,
        restore=run.archived_at is not None,
    )
