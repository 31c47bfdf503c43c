"""Pages of gates: all of them with their newest decisions, and one decision."""

from collections.abc import Callable
from typing import NamedTuple

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission, allows
from apps.analysis.forms.gates import OverrideForm
from apps.analysis.gates import overriding, stored
from apps.analysis.gates.contracts import Report
from apps.analysis.gates.messages.told import deliveries_of, messages_of
from apps.analysis.gates.telling import listed
from apps.analysis.gates.telling.linking import (
    comparison_page,
    decided_for,
    report_of,
    worse_page,
)
from apps.analysis.gates.telling.listed import DecisionFilter, DecisionRow
from apps.analysis.gates.telling.reports import as_json, as_junit, as_markdown
from apps.analysis.gates.telling.shown import groups_of
from apps.analysis.models import GateDecision
from apps.analysis.models.gates import Answer
from apps.runs.models import Run
from apps.runs.queries.listing import concealed
from apps.web.addresses import own_address
from apps.web.paging import keyset
from apps.web.rendering import render_page

SHOWN = 25


class Written(NamedTuple):
    """How a decision is written as a file."""

    title: str
    ending: str
    kind: str
    write: Callable[[Report], str]


FILES = {
    "json": Written("JSON", "json", "application/json", as_json),
    "junit": Written("JUnit XML, a test a check", "xml", "application/xml", as_junit),
    "markdown": Written("Markdown, for a comment", "md", "text/markdown", as_markdown),
}


@door(Permission.VIEW_GATES)
def gates(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    archived = bool(request.GET.get("archived"))
    rows = listed.policies(workspace, archived=archived)
    wanted = _wanted(request)
    found = listed.filtered(listed.decisions(request.user, workspace), wanted)
    page = keyset(found, ("-pk",), request.GET.get("cursor"), SHOWN)
    return render_page(
        request,
        "analysis/gates.html",
        fragment="gate_decisions",
        tab="gates",
        archived=archived,
        rows=listed.policy_rows(request.user, rows),
        names=[(each.pk, each.name) for each in listed.policies(workspace)],
        page=page,
        decisions=[DecisionRow(each) for each in page.items],
        wanted=wanted,
        narrows=wanted != DecisionFilter(),
        answers=Answer.choices,
        concealed=concealed(request.user, workspace),
        run=_run_in(request, workspace, wanted.run),
    )


@door(Permission.VIEW_GATES)
def decision(request: WorkspaceRequest, workspace: Workspace, decision_id: str) -> HttpResponse:
    found = _decision(request, workspace, decision_id)
    return decision_page(request, workspace, found, OverrideForm(found))


@door(GET=Permission.VIEW_GATES)
def decision_file(
    request: WorkspaceRequest, workspace: Workspace, decision_id: str, form: str
) -> HttpResponse:
    found = _decision(request, workspace, decision_id)
    if form not in FILES:
        raise Http404(f"A decision is a file of {', '.join(FILES)}.")
    written = FILES[form]
    report = report_of(found, base=own_address(request), reader=request.user)
    name = f"{found.pk}.{written.ending}"
    return HttpResponse(
        written.write(report),
        content_type=f"{written.kind}; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


@door(POST=Permission.OVERRIDE_GATES)
def override(request: WorkspaceRequest, workspace: Workspace, decision_id: str) -> HttpResponse:
    found = _decision(request, workspace, decision_id)
    form = OverrideForm(found, request.POST)
    if not form.is_valid():
        return decision_page(request, workspace, found, form)
    try:
        said = overriding.override(
            found,
            **form.cleaned_data,
            by=request.user,
            now=timezone.now(),
            request_id=request.request_id,
        )
    except ValidationError as error:
        # as it stands now: somebody else may have spoken
        found = _decision(request, workspace, decision_id)
        form = form.anew(found)
        form.add_error(None, error)
        return decision_page(request, workspace, found, form)
    messages.success(request, f"Kept with your name: {said.get_answer_display()} counts now.")
    return redirect("analysis:gate-decision", workspace.slug, found.pk)


def decision_page(
    request: WorkspaceRequest, workspace: Workspace, found: GateDecision, form: OverrideForm
) -> HttpResponse:
    said, slug = decided_for(found, request.user), workspace.slug
    leads = allows(request.membership.role, Permission.DECIDE_GATES)
    sent = deliveries_of(request.user, workspace).filter(decision=found) if leads else []
    return render_page(
        request,
        "analysis/gate_decision.html",
        status=422 if form.errors else 200,
        tab="gates",
        decision=found,
        row=DecisionRow(found),
        said=said,
        groups=groups_of(said, slug),
        comparison=comparison_page(said, slug, base=""),
        worse=worse_page(said, slug, base=""),
        approved=_approved(request, said.approved_baseline),
        history=overriding.history(found),
        form=form,
        files=[(each.title, name) for name, each in FILES.items()],
        sent=messages_of(sent),
    )


def _decision(request: WorkspaceRequest, workspace: Workspace, decision_id: str) -> GateDecision:
    rows = stored.decisions(request.user, workspace).select_related("run")
    return get_object_or_404(rows, pk=decision_id)


def _approved(request: WorkspaceRequest, run_id: str | None) -> Run | None:
    """The baseline that was passed over for another."""
    return Run.objects.visible_to(request.user).filter(pk=run_id).first() if run_id else None


def _wanted(request: WorkspaceRequest) -> DecisionFilter:
    given = {name: request.GET.get(name, "") for name in DecisionFilter.model_fields}
    return DecisionFilter(**{name: text.replace("\0", "")[:200] for name, text in given.items()})


def _run_in(request: WorkspaceRequest, workspace: Workspace, run_id: str) -> Run | None:
    """The run whose decisions are asked for, so that the page can name it."""
    if not run_id:
        return None
    seen = Run.objects.visible_to(request.user).filter(workspace=workspace)
    found = seen.select_related("dataset_version__dataset").filter(pk=run_id).first()
    if found is None:
        raise Http404("There is no such run here.")
    return found
