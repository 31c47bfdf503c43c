"""Starting a run: the form, its estimate, a test of the target."""

from datetime import datetime
from typing import Any
from uuid import uuid4

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets.models import Upload
from apps.runs.beginning.answering import keep_answers
from apps.runs.beginning.estimating import SAMPLE, estimate
from apps.runs.beginning.starting import KeyTaken, start_run
from apps.runs.contracts import Estimate
from apps.runs.forms import StartForm, initial_of
from apps.runs.models import Run
from apps.runs.queries import runs
from apps.targets.contracts import Reply
from apps.targets.services import test_connection
from apps.targets.words import ERRORS
from apps.web.rendering import render_page

FRAGMENTS = ("estimate", "needs", "connection")
PREFILLED = ("version", "target", "contract", "judge", "name", "pilot", "trials")


@door(Permission.START_RUNS)
def start(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    """The button says what a POST is for: to start, to estimate, to test the target."""
    form = _form(request, workspace)
    action = request.POST.get("action", "start")
    if request.method == "POST" and action == "start" and form.is_valid():
        try:
            return _started(request, workspace, form)
        except ValidationError as error:
            _explain(form, error)
    shown: dict[str, Any] = {}
    if request.method == "POST" and action == "test":
        shown = _tested(form)
    return render_page(
        request,
        "runs/start.html",
        fragment=FRAGMENTS,
        form=form,
        estimate=_estimated(form),
        sample=SAMPLE,
        **shown,
    )


@door(GET=Permission.START_RUNS)
def clone(request: WorkspaceRequest, workspace: Workspace, run_id: str) -> HttpResponse:
    get_object_or_404(runs(request.user, workspace), pk=run_id)
    return redirect(f"{reverse('runs:start', args=[workspace.slug])}?clone={run_id}")


def _form(request: WorkspaceRequest, workspace: Workspace) -> StartForm:
    if request.POST.get("action", "start") != "start":  # filled in, but not to be judged yet
        return StartForm(initial=request.POST.dict(), workspace=workspace, user=request.user)
    if request.method == "POST":
        return StartForm(request.POST, request.FILES, workspace=workspace, user=request.user)
    given = {name: request.GET[name] for name in PREFILLED if request.GET.get(name)}
    initial = _cloned(request, workspace) | given
    return StartForm(initial=initial, workspace=workspace, user=request.user)


def _cloned(request: WorkspaceRequest, workspace: Workspace) -> dict[str, Any]:
    if "clone" not in request.GET:
        return {}
    run: Run = get_object_or_404(
        runs(request.user, workspace), pk=request.GET["clone"].replace("\0", "")
    )
    return initial_of(run)


def _started(request: WorkspaceRequest, workspace: Workspace, form: StartForm) -> HttpResponse:
    now = timezone.now()
    answers = _answers(request, workspace, form, now)
    run = start_run(form.order(answers=answers, request_id=request.request_id), now=now)
    return redirect("runs:detail", slug=workspace.slug, run_id=run.pk)


def _answers(
    request: WorkspaceRequest, workspace: Workspace, form: StartForm, now: datetime
) -> Upload | None:
    file, candidate = form.cleaned_data.get("answers"), form.cleaned_data.get("candidate", "")
    if not file:
        return None
    return keep_answers(file, workspace=workspace, by=request.user, now=now, candidate=candidate)


def _explain(form: StartForm, error: ValidationError) -> None:
    """Say it at the top; a key that is taken is replaced, so that the next press may start."""
    form.add_error(None, error)
    if isinstance(error, KeyTaken):
        form.data = {**dict(form.data.items()), "idempotency_key": uuid4().hex}


def _tested(form: StartForm) -> dict[str, Reply | str]:
    spec = form.target_spec()
    if spec is None:
        return {"untested": "Choose a target first."}
    try:
        reply = test_connection(spec)
    except ValidationError as error:
        return {"untested": error.messages[0]}
    return {"reply": reply, "error": ERRORS[reply.error_code] if reply.error_code else ""}


def _estimated(form: StartForm) -> Estimate | None:
    """What the choices so far would ask; None until version and target are chosen."""
    order = form.order_so_far()
    return estimate(order) if order else None
