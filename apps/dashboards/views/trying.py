"""Trying a contract on answers that are there, before it is saved."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.dashboards.forms import TryForm
from apps.dashboards.hearing import MOST, CannotAsk, hear
from apps.dashboards.trying import Answered, Tried, answers_of, tried
from apps.grading import queries
from apps.grading.models import ContractVersion, GradingContract
from apps.grading.spec import ContractSpec
from apps.grading.views.desk import Desk
from apps.web.rendering import render_page

CHOOSE = ("tried", "ask")
"""What the buttons of the page itself say; the editor's first visit says something else."""


@door(Permission.EDIT_CONTRACTS)
def try_contract(request: WorkspaceRequest, workspace: Workspace, contract_id: str) -> HttpResponse:
    contract = get_object_or_404(workspace.contracts, pk=contract_id)
    request.section = "grading"
    latest = queries.latest_version(contract)
    desk = _desk(request, contract, latest)
    spec = desk.spec()
    pressed = request.POST.get("action", "")
    sent = request.POST if pressed in CHOOSE else None
    form = TryForm(sent, workspace=workspace, user=request.user)
    shown, problem, missing = _shown(workspace, spec, form, ask=pressed == "ask")
    return render_page(
        request,
        "dashboards/try_contract.html",
        contract=contract,
        latest=latest,
        desk=desk,
        spec=spec,
        based_on=request.POST.get("based_on", latest.spec_sha256),
        form=form,
        shown=shown,
        questions=sum(len(each.questions) for each in shown[:MOST]),
        most_asked=MOST,
        problem=problem,
        missing=missing,
        is_draft=spec is not None and spec.sha256 != latest.spec_sha256,
    )


def _desk(request: WorkspaceRequest, contract: GradingContract, latest: ContractVersion) -> Desk:
    """The draft that the editor or the page itself sent; else the latest version."""
    if request.method != "POST":
        return Desk.opened(latest.parsed)
    desk = Desk.sent(request.POST, name=contract.name)
    desk.press("apply")
    return desk


def _shown(
    workspace: Workspace, spec: ContractSpec | None, form: TryForm, *, ask: bool
) -> tuple[list[Tried], str, tuple[str, ...]]:
    """What comes out, what kept a judge from being asked, and the ids that are not there."""
    if spec is None or not form.is_valid():
        return [], "", ()
    chosen = form.cleaned_data
    answered = answers_of(chosen["source"], chosen["records"])
    judges = list(workspace.targets.filter(archived_at=None).values_list("name", flat=True))
    shown = tried(spec, answered, judges)
    if not ask:
        return shown, "", answered.missing
    return *_asked(workspace, spec, answered, shown, form, judges), answered.missing


def _asked(
    workspace: Workspace,
    spec: ContractSpec,
    answered: Answered,
    shown: list[Tried],
    form: TryForm,
    judges: list[str],
) -> tuple[list[Tried], str]:
    try:
        heard = hear(workspace, shown, form.cleaned_data["judge"])
    except CannotAsk as error:
        return shown, str(error)
    waiting = sum(bool(each.questions) for each in shown[:MOST]) - len(heard)
    late = f"{waiting} of the answers were not judged in time." if waiting > 0 else ""
    return tried(spec, answered, judges, heard), late
