"""The editor of a contract: one address, whose every button sends the whole draft."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.grading import queries, services
from apps.grading.catalog import families
from apps.grading.describing import DATA_RULES
from apps.grading.differing import differences
from apps.grading.editing.drafts import spec_of
from apps.grading.models import ContractVersion, GradingContract
from apps.grading.spec import ContractSpec
from apps.web.rendering import render_page

from .desk import Desk

MEANWHILE = (
    "Somebody saved this contract while you were editing: compare with its page, and save again "
    "to put yours in its place."
)
TEMPORARY_REDIRECT = 307


@door(Permission.EDIT_CONTRACTS)
def edit(request: WorkspaceRequest, workspace: Workspace, contract_id: str) -> HttpResponse:
    contract = get_object_or_404(workspace.contracts, pk=contract_id)
    latest = queries.latest_version(contract)
    if request.method != "POST":
        return _page(request, contract, latest, Desk.opened(latest.parsed), latest.spec_sha256)
    desk = Desk.sent(request.POST, name=contract.name)
    action = request.POST.get("action", "save")
    based_on = request.POST.get("based_on", "")
    if desk.press(action):
        if action == "try" and desk.spec() is not None:
            return _to_trial(contract)
        if action == "save":
            saved = _save(request, contract, desk, based_on, latest)
            if saved is not None:
                return saved
            based_on = latest.spec_sha256
    return _page(request, contract, latest, desk, based_on)


def _page(
    request: WorkspaceRequest,
    contract: GradingContract,
    latest: ContractVersion,
    desk: Desk,
    based_on: str,
) -> HttpResponse:
    spec = spec_of(desk.document) if desk.document is not None else None
    return render_page(
        request,
        "grading/edit.html",
        fragment=("editor", "kinds"),
        desk=desk,
        contract=contract,
        latest=latest,
        next_number=latest.number + 1,
        based_on=based_on,
        families=families(request.GET.get("q") or request.POST.get("q", "")),
        q=request.POST.get("q", ""),
        diff=differences(latest.parsed, spec) if spec else None,
        unsaved=spec is None or spec.sha256 != latest.spec_sha256 or _half_filled(desk),
        precedence=DATA_RULES["combine"],
    )


def _half_filled(desk: Desk) -> bool:
    """Whether a form on it holds something that is not right yet, and so not in the draft."""
    forms = (desk.rule_form, desk.contract_form)
    return any(form is not None and form.is_bound and form.errors for form in forms)


def _save(
    request: WorkspaceRequest,
    contract: GradingContract,
    desk: Desk,
    based_on: str,
    latest: ContractVersion,
) -> HttpResponse | None:
    """To the contract's page, or None with what is wrong on the desk."""
    spec = desk.spec()
    if spec is not None and based_on not in ("", latest.spec_sha256):
        desk.problems.append(MEANWHILE)
        spec = None
    if spec is None:
        desk.focus = "problems"
        return None
    try:
        return _saved(request, contract, spec, latest)
    except ValidationError as error:
        desk.problems += error.messages
        desk.focus = "problems"
        return None


def _saved(
    request: WorkspaceRequest,
    contract: GradingContract,
    spec: ContractSpec,
    latest: ContractVersion,
) -> HttpResponse:
    version = services.save_version(
        contract=contract,
        spec=spec,
        by=request.user,
        now=timezone.now(),
        request_id=request.request_id,
    )
    same = version.spec_sha256 == latest.spec_sha256
    said = f"Nothing changed: {version} already says this." if same else f"{version} is saved."
    messages.success(request, said)
    place = "grading:diff" if version.number > latest.number else "grading:detail"
    return redirect(place, contract.workspace.slug, contract.pk)


def _to_trial(contract: GradingContract) -> HttpResponse:
    """The page that tries it gets the same form: 307 sends it on as it is."""
    address = reverse("dashboards:try-contract", args=[contract.workspace.slug, contract.pk])
    return HttpResponseRedirect(address, status=TEMPORARY_REDIRECT)
