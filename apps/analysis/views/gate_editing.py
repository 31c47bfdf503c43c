"""The form of a policy: a new one, and the next version of one that is there."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.analysis.forms.gate_parts import Offers
from apps.analysis.forms.gate_policies import PolicyForms, written_in
from apps.analysis.gates.policies import changing, suggesting
from apps.analysis.gates.policies.doubts import doubts_about
from apps.analysis.gates.policies.spec import STARTER, PolicySpec
from apps.analysis.models import GatePolicy
from apps.datasets.models import Dataset
from apps.web.rendering import render_page

from .gate_policies import get_policy


@door(Permission.EDIT_GATES)
def new(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    dataset = _dataset(request, workspace, request.GET.get("dataset", ""))
    initial = {"dataset": dataset.pk if dataset else "", "name": request.GET.get("name", "")[:120]}
    form = PolicyForms(
        _offers(request, workspace, dataset, STARTER), _sent(request), spec=STARTER, initial=initial
    )
    if request.method == "POST" and not form.asks_for_more and form.is_valid():
        try:
            return _create(request, workspace, form)
        except ValidationError as error:
            form.details.add_error(None, error)
    return _page(request, form)


@door(Permission.EDIT_GATES)
def edit(request: WorkspaceRequest, workspace: Workspace, policy_id: str) -> HttpResponse:
    found = get_policy(request, workspace, policy_id)
    spec = changing.current_spec(found)
    initial = {
        "name": found.name,
        "description": found.description,
        "dataset": found.dataset_id or "",
    }
    offers = _offers(request, workspace, found.dataset, spec)
    form = PolicyForms(offers, _sent(request), spec=spec, initial=initial)
    if request.method == "POST" and not form.asks_for_more and form.is_valid():
        try:
            return _save(request, found, form)
        except ValidationError as error:
            form.details.add_error(None, error)
    return _page(request, form, found)


def _sent(request: WorkspaceRequest) -> Any:
    return request.POST if request.method == "POST" else None


def _offers(
    request: WorkspaceRequest, workspace: Workspace, dataset: Dataset | None, spec: PolicySpec
) -> Offers:
    """By the runs of the dataset that is chosen, and what the policy or somebody says already."""
    if request.method == "POST":
        dataset = _dataset(request, workspace, request.POST.get("dataset", ""))
    written = written_in(request.POST)
    rules = suggesting.rules_of(request.user, workspace, dataset)
    trials = suggesting.trials_of(request.user, workspace, dataset)
    kept = [*(check.metric for check in spec.metrics), *written.metrics]
    families = [family for check in spec.slices for family in check.families]
    active = Dataset.objects.visible_to(request.user).filter(workspace=workspace, archived_at=None)
    datasets = list(active.order_by("name"))
    if dataset is not None and dataset not in datasets:
        datasets.append(dataset)
    return Offers(
        metrics=suggesting.metric_choices(rules, trials, kept),
        rules=list(dict.fromkeys([*rules, *written.rules])),
        families=suggesting.families_of(workspace, dataset, [*families, *written.families]),
        datasets=datasets,
    )


def _dataset(request: WorkspaceRequest, workspace: Workspace, dataset_id: str) -> Dataset | None:
    if not dataset_id or "\0" in dataset_id:
        return None
    seen = Dataset.objects.visible_to(request.user).filter(workspace=workspace)
    return seen.filter(pk=dataset_id).first()


def _create(request: WorkspaceRequest, workspace: Workspace, form: PolicyForms) -> HttpResponse:
    assert form.spec is not None
    said = form.details.cleaned_data
    dataset = _dataset(request, workspace, said["dataset"])
    made = changing.create_policy(
        workspace=workspace,
        name=said["name"],
        description=said["description"],
        dataset=dataset,
        spec=form.spec,
        by=request.user,
        now=timezone.now(),
        request_id=request.request_id,
    )
    messages.success(request, f"{made} is ready. Approve a baseline next, so that it can compare.")
    _tell_doubts(request, workspace, form.spec, dataset)
    return redirect("analysis:gate-policy", workspace.slug, made.pk)


def _save(request: WorkspaceRequest, found: GatePolicy, form: PolicyForms) -> HttpResponse:
    assert form.spec is not None
    said, before = form.details.cleaned_data, changing.current_version(found).number
    dataset = _dataset(request, found.workspace, said["dataset"])
    with transaction.atomic():
        changing.describe_policy(
            found,
            name=said["name"],
            description=said["description"],
            dataset=dataset,
            by=request.user,
            request_id=request.request_id,
        )
        version = changing.save_policy(
            found, form.spec, by=request.user, now=timezone.now(), request_id=request.request_id
        )
    same = version.number == before
    told = f"still version {before}" if same else f"version {version.number} now"
    messages.success(request, f"Saved: what it asks is {told}.")
    _tell_doubts(request, found.workspace, form.spec, dataset)
    return redirect("analysis:gate-policy", found.workspace.slug, found.pk)


def _tell_doubts(
    request: WorkspaceRequest, workspace: Workspace, spec: PolicySpec, dataset: Dataset | None
) -> None:
    for each in doubts_about(spec, workspace=workspace, dataset=dataset, user=request.user):
        messages.warning(request, each)


def _page(
    request: WorkspaceRequest, form: PolicyForms, found: GatePolicy | None = None
) -> HttpResponse:
    refused = not form.asks_for_more and form.errors
    return render_page(
        request,
        "analysis/gate_policy_form.html",
        status=422 if refused else 200,
        tab="gates",
        form=form,
        policy=found,
    )
