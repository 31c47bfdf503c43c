"""The pages of grading contracts: how answers are judged, and what became of it by version."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.http import content_disposition_header

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.grading import queries, services
from apps.grading.forms import ImportForm, StarterForm
from apps.grading.models import ContractVersion, GradingContract
from apps.grading.queries import ContractDetail
from apps.grading.reading.texts import MAX_CHARACTERS
from apps.grading.starters import starter_spec
from apps.web.paging import keyset
from apps.web.rendering import render_page


@door(GET=Permission.VIEW_CONTRACTS)
def contract_list(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    archived = bool(request.GET.get("archived"))
    page = keyset(
        queries.latest_versions(workspace, archived=archived),
        order=("contract__name", "pk"),
        cursor=request.GET.get("cursor"),
    )
    return render_page(
        request,
        "grading/list.html",
        page=page,
        contracts=queries.contract_rows(page.items),
        archived=archived,
    )


@door(Permission.EDIT_CONTRACTS)
def new(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    form = StarterForm(_sent(request))
    if request.method == "POST" and form.is_valid():
        try:
            return _create(request, workspace, form)
        except ValidationError as error:
            form.add_error("name", error)
    return render_page(request, "grading/new.html", form=form)


@door(Permission.EDIT_CONTRACTS)
def import_text(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    form = ImportForm(_sent(request), request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _import(request, workspace, form)
        except ValidationError as error:
            form.add_error(None, error)
    return render_page(request, "grading/import.html", form=form, max_characters=MAX_CHARACTERS)


@door(GET=Permission.VIEW_CONTRACTS)
def detail(request: WorkspaceRequest, workspace: Workspace, contract_id: str) -> HttpResponse:
    contract = get_object_or_404(workspace.contracts, pk=contract_id)
    return render_page(request, "grading/detail.html", detail=_shown(request, contract))


@door(GET=Permission.VIEW_CONTRACTS)
def diff(request: WorkspaceRequest, workspace: Workspace, contract_id: str) -> HttpResponse:
    """What the version `?version=` (else the latest) changed in `?from=` (else the one before)."""
    contract = get_object_or_404(workspace.contracts, pk=contract_id)
    try:
        found = queries.version_diff(contract, _wanted(request), _wanted(request, "from"))
    except ContractVersion.DoesNotExist:
        raise Http404("This contract has no such version.") from None
    return render_page(request, "grading/diff.html", diff=found)


@door(GET=Permission.VIEW_CONTRACTS)
def export_yaml(request: WorkspaceRequest, workspace: Workspace, contract_id: str) -> HttpResponse:
    contract = get_object_or_404(workspace.contracts, pk=contract_id)
    shown = _shown(request, contract)
    filename = f"{contract.name}@{shown.shown.number}.yaml"
    disposition = str(content_disposition_header(as_attachment=True, filename=filename))
    return HttpResponse(
        shown.yaml, "application/yaml; charset=utf-8", headers={"Content-Disposition": disposition}
    )


@door(POST=Permission.EDIT_CONTRACTS)
def archive(request: WorkspaceRequest, workspace: Workspace, contract_id: str) -> HttpResponse:
    contract = get_object_or_404(workspace.contracts, pk=contract_id)
    services.archive_contract(
        contract=contract, by=request.user, now=timezone.now(), request_id=request.request_id
    )
    messages.success(request, f"{contract} is archived: no new run offers it.")
    return redirect("grading:detail", workspace.slug, contract.pk)


@door(POST=Permission.EDIT_CONTRACTS)
def restore(request: WorkspaceRequest, workspace: Workspace, contract_id: str) -> HttpResponse:
    contract = get_object_or_404(workspace.contracts, pk=contract_id)
    services.restore_contract(contract=contract, by=request.user, request_id=request.request_id)
    messages.success(request, f"{contract} is back: new runs may be judged by it.")
    return redirect("grading:detail", workspace.slug, contract.pk)


def _sent(request: WorkspaceRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


def _create(request: WorkspaceRequest, workspace: Workspace, form: StarterForm) -> HttpResponse:
    contract = services.create_contract(
        workspace=workspace,
        name=form.cleaned_data["name"],
        spec=starter_spec(form.cleaned_data["starter"]),
        by=request.user,
        now=timezone.now(),
        request_id=request.request_id,
    )
    messages.success(request, f"{contract} is ready: a run may use it as it is, or edit it first.")
    return redirect("grading:detail", workspace.slug, contract.pk)


def _import(request: WorkspaceRequest, workspace: Workspace, form: ImportForm) -> HttpResponse:
    version = services.import_contract(
        workspace=workspace,
        text=form.cleaned_data["text"],
        name=form.cleaned_data["name"],
        replace_draft=form.cleaned_data["replace_draft"],
        by=request.user,
        now=timezone.now(),
        request_id=request.request_id,
    )
    messages.success(request, f"{version} is here.")
    return redirect("grading:detail", workspace.slug, version.contract_id)


def _shown(request: WorkspaceRequest, contract: GradingContract) -> ContractDetail:
    """The version that `?version=` names, else the latest."""
    try:
        return queries.contract_detail(contract, _wanted(request))
    except ContractVersion.DoesNotExist:
        raise Http404("This contract has no such version.") from None


def _wanted(request: WorkspaceRequest, key: str = "version") -> int | None:
    given = request.GET.get(key, "")
    if not given:
        return None
    if not given.isdecimal() or len(given) > 9:
        raise Http404("This contract has no such version.")
    return int(given)
