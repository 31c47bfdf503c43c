"""Pages of one policy: what it asks, its baseline, and asking it about a run."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.analysis.forms.gates import AskForm, BaselineForm
from apps.analysis.gates.deciding import decide
from apps.analysis.gates.policies import baselines, changing
from apps.analysis.gates.policies.asked import asked_by
from apps.analysis.gates.telling import listed
from apps.analysis.gates.telling.listed import DecisionFilter, DecisionRow
from apps.analysis.models import GatePolicy
from apps.runs.queries.listing import concealed
from apps.web.paging import keyset
from apps.web.rendering import render_page

SHOWN = 10


@door(Permission.VIEW_GATES)
def policy(request: WorkspaceRequest, workspace: Workspace, policy_id: str) -> HttpResponse:
    found = get_policy(request, workspace, policy_id)
    rows = listed.filtered(
        listed.decisions(request.user, workspace), DecisionFilter(policy=found.pk)
    )
    page = keyset(rows, ("-pk",), request.GET.get("cursor"), SHOWN)
    said = listed.baseline_rows(request.user, baselines.history(found))
    return render_page(
        request,
        "analysis/gate_policy.html",
        fragment="gate_decisions",
        tab="gates",
        policy=found,
        asked=asked_by(changing.current_spec(found)),
        versions=listed.version_rows(found),
        baselines=said,
        current=said[0] if said else None,
        page=page,
        decisions=[DecisionRow(each) for each in page.items],
        concealed=concealed(request.user, workspace),
        form=_ask_form(request, found),
    )


@door(GET=Permission.DECIDE_GATES, POST=Permission.DECIDE_GATES)
def ask(request: WorkspaceRequest, workspace: Workspace, policy_id: str) -> HttpResponse:
    found = get_policy(request, workspace, policy_id)
    form = _ask_form(request, found)
    if form.is_valid():
        try:
            return _asked(request, found, form)
        except ValidationError as error:
            form.add_error(None, error)
    return render_page(
        request,
        "analysis/gate_ask.html",
        status=422 if form.errors else 200,
        tab="gates",
        policy=found,
        form=form,
        current=baselines.current_run(found),
    )


@door(Permission.EDIT_GATES)
def baseline(request: WorkspaceRequest, workspace: Workspace, policy_id: str) -> HttpResponse:
    """Approve another one; what it replaces stays in the history."""
    found = get_policy(request, workspace, policy_id)
    said = listed.baseline_rows(request.user, found.baselines.filter(is_current=True))
    now = said[0] if said else None
    form = BaselineForm(
        found,
        request.user,
        request.POST if request.method == "POST" else None,
        initial={"run": request.GET.get("run", "")},
        now=now.said.run_id if now else None,
    )
    if form.is_valid():
        try:
            return _approved(request, found, form)
        except ValidationError as error:
            form.add_error(None, error)
    return render_page(
        request,
        "analysis/gate_baseline.html",
        status=422 if form.errors else 200,
        tab="gates",
        policy=found,
        form=form,
        current=now,
    )


@door(POST=Permission.EDIT_GATES)
def withdraw(request: WorkspaceRequest, workspace: Workspace, policy_id: str) -> HttpResponse:
    found = get_policy(request, workspace, policy_id)
    try:
        baselines.withdraw(
            found,
            reason=request.POST.get("reason", ""),
            by=request.user,
            now=timezone.now(),
            request_id=request.request_id,
        )
    except ValidationError as error:
        messages.error(request, error.messages[0])
    else:
        messages.success(request, f"{found} has no baseline now.")
    return redirect("analysis:gate-policy", workspace.slug, found.pk)


@door(POST=Permission.EDIT_GATES)
def archive(request: WorkspaceRequest, workspace: Workspace, policy_id: str) -> HttpResponse:
    found = get_policy(request, workspace, policy_id)
    changing.archive_policy(
        found, by=request.user, now=timezone.now(), request_id=request.request_id
    )
    messages.success(request, f"{found} is archived: it decides nothing more.")
    return redirect("analysis:gate-policy", workspace.slug, found.pk)


@door(POST=Permission.EDIT_GATES)
def restore(request: WorkspaceRequest, workspace: Workspace, policy_id: str) -> HttpResponse:
    found = get_policy(request, workspace, policy_id)
    changing.restore_policy(found, by=request.user, request_id=request.request_id)
    messages.success(request, f"{found} is back.")
    return redirect("analysis:gate-policy", workspace.slug, found.pk)


def get_policy(request: WorkspaceRequest, workspace: Workspace, policy_id: str) -> GatePolicy:
    seen = GatePolicy.objects.visible_to(request.user).filter(workspace=workspace)
    return get_object_or_404(seen.select_related("dataset", "workspace"), pk=policy_id)


def _ask_form(request: WorkspaceRequest, found: GatePolicy) -> AskForm:
    sent = request.POST if request.method == "POST" else None
    initial = {name: request.GET.get(name, "") for name in ("run", "change_id")}
    return AskForm(found, request.user, sent, initial=initial)


def _asked(request: WorkspaceRequest, found: GatePolicy, form: AskForm) -> HttpResponse:
    run = form.chosen("run")
    assert run is not None
    made = decide(
        run,
        policy=found,
        baseline=form.chosen("baseline"),
        change_id=form.cleaned_data["change_id"],
        by=request.user,
        now=timezone.now(),
        via="page",
        request_id=request.request_id,
    )
    return redirect("analysis:gate-decision", found.workspace.slug, made.pk)


def _approved(request: WorkspaceRequest, found: GatePolicy, form: BaselineForm) -> HttpResponse:
    run = form.chosen("run")
    assert run is not None
    baselines.approve(
        found,
        run,
        reason=form.cleaned_data["reason"],
        by=request.user,
        now=timezone.now(),
        request_id=request.request_id,
    )
    messages.success(request, f"{run.title} is the baseline of {found} now.")
    return redirect("analysis:gate-policy", found.workspace.slug, found.pk)
