"""The workspace's variables: members see them, admins change them."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets import variables
from apps.datasets.forms import VariableForm
from apps.web.rendering import render_page
from apps.web.telling import tell

SPELLED = "${{ %s }}"


@door(GET=Permission.VIEW_DATASETS, POST=Permission.MANAGE_VARIABLES)
def index(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    form = VariableForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and _added(request, form):
        return redirect("datasets:variables", slug=workspace.slug)
    return render_page(
        request,
        "datasets/variables.html",
        status=400 if form.errors else 200,
        form=form,
        variables=[(each, SPELLED % each.name) for each in workspace.variables.order_by("name")],
        may_manage=request.membership.allows(Permission.MANAGE_VARIABLES),
    )


@door(POST=Permission.MANAGE_VARIABLES)
def change(request: WorkspaceRequest, workspace: Workspace, variable_id: int) -> HttpResponse:
    variable = get_object_or_404(workspace.variables, pk=variable_id)
    value = request.POST.get("value", "")
    tell(
        request,
        lambda: variables.change(
            variable, value=value, by=request.user, request_id=request.request_id
        ),
        f"{variable.name} is changed: files read from now on get it.",
    )
    return redirect("datasets:variables", slug=workspace.slug)


@door(POST=Permission.MANAGE_VARIABLES)
def delete(request: WorkspaceRequest, workspace: Workspace, variable_id: int) -> HttpResponse:
    variable = get_object_or_404(workspace.variables, pk=variable_id)
    variables.delete(variable, by=request.user, request_id=request.request_id)
    messages.success(request, f"{variable.name} is deleted.")
    return redirect("datasets:variables", slug=workspace.slug)


def _added(request: WorkspaceRequest, form: VariableForm) -> bool:
    try:
        added = variables.add(
            workspace=request.workspace,
            name=form.cleaned_data["name"],
            value=form.cleaned_data["value"],
            by=request.user,
            request_id=request.request_id,
        )
    except ValidationError as error:
        form.add_error(None, error)
        return False
    messages.success(request, f"{added.name} is added: files read from now on get it.")
    return True
