"""The pages of targets: who answers, how they are asked, and whether they can be reached."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.web.paging import keyset
from apps.web.rendering import render_page

from . import queries, services
from .describing import Connection, connection_of, kind_in_words, kinds_in_words
from .forms import TargetForm, form_for
from .models import Target
from .specs import SPEC_OF_KIND


@door(GET=Permission.VIEW_TARGETS)
def target_list(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    archived = bool(request.GET.get("archived"))
    versions = queries.current_versions(request.user, workspace)
    page = keyset(
        versions.filter(target__archived_at__isnull=not archived),
        order=("target__name", "pk"),
        cursor=request.GET.get("cursor"),
    )
    usages = queries.usage_by_target(version.target for version in page.items)
    return render_page(
        request,
        "targets/list.html",
        page=page,
        targets=queries.listed(page.items, usages),
        archived=archived,
    )


@door(Permission.MANAGE_TARGETS)
def new(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    """The kinds to choose from, then the form of the one that `?kind=` names."""
    kind = request.GET.get("kind", "")
    if kind not in SPEC_OF_KIND:
        return render_page(request, "targets/kinds.html", kinds=kinds_in_words())
    form = form_for(kind)(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            return _create(request, workspace, form)
        except ValidationError as error:
            form.add_error(None, error)
    return _form_page(request, form)


@door(GET=Permission.VIEW_TARGETS)
def detail(request: WorkspaceRequest, workspace: Workspace, target_id: str) -> HttpResponse:
    return _detail_page(request, get_object_or_404(workspace.targets, pk=target_id))


@door(Permission.MANAGE_TARGETS)
def edit(request: WorkspaceRequest, workspace: Workspace, target_id: str) -> HttpResponse:
    target = get_object_or_404(workspace.targets, pk=target_id)
    if request.method != "POST":
        return _form_page(request, form_for(target.kind).of_version(target.current), target)
    form = form_for(target.kind)(request.POST)
    if form.is_valid():
        try:
            return _save(request, target, form)
        except ValidationError as error:
            form.add_error(None, error)
    return _form_page(request, form, target)


@door(POST=Permission.START_RUNS)
def test(request: WorkspaceRequest, workspace: Workspace, target_id: str) -> HttpResponse:
    """Ask one tiny question; whoever may start runs may."""
    target = get_object_or_404(workspace.targets, pk=target_id)
    try:
        reply = services.test_connection(target.current.parsed)
    except ValidationError as error:
        return _detail_page(request, target, problem=error.messages[0])
    return _detail_page(request, target, connection_of(reply))


@door(POST=Permission.MANAGE_TARGETS)
def archive(request: WorkspaceRequest, workspace: Workspace, target_id: str) -> HttpResponse:
    target = get_object_or_404(workspace.targets, pk=target_id)
    services.archive_target(
        target=target, by=request.user, now=timezone.now(), request_id=request.request_id
    )
    messages.success(request, f"{target} is archived: no new run offers it.")
    return redirect("targets:detail", workspace.slug, target.pk)


@door(POST=Permission.MANAGE_TARGETS)
def restore(request: WorkspaceRequest, workspace: Workspace, target_id: str) -> HttpResponse:
    target = get_object_or_404(workspace.targets, pk=target_id)
    services.restore_target(target=target, by=request.user, request_id=request.request_id)
    messages.success(request, f"{target} is back: new runs may ask it.")
    return redirect("targets:detail", workspace.slug, target.pk)


def _create(request: WorkspaceRequest, workspace: Workspace, form: TargetForm) -> HttpResponse:
    assert form.spec is not None
    target = services.create_target(
        workspace=workspace,
        name=form.cleaned_data["name"],
        spec=form.spec,
        by=request.user,
        request_id=request.request_id,
    )
    messages.success(request, f"{target} is ready: test the connection before the first run.")
    return redirect("targets:detail", workspace.slug, target.pk)


def _save(request: WorkspaceRequest, target: Target, form: TargetForm) -> HttpResponse:
    assert form.spec is not None
    version = services.edit_target(
        target=target,
        spec=form.spec,
        name=form.cleaned_data["name"],
        by=request.user,
        request_id=request.request_id,
    )
    same = version.number == target.current_number
    number = version.number
    said = f"its settings are still version {number}" if same else f"it is version {number} now"
    messages.success(request, f"{version.target.name} is saved: {said}.")
    return redirect("targets:detail", target.workspace.slug, target.pk)


def _form_page(
    request: WorkspaceRequest, form: TargetForm, target: Target | None = None
) -> HttpResponse:
    return render_page(
        request,
        "targets/form.html",
        form=form,
        kind=kind_in_words(form.kind),
        target=target,
        secrets=queries.secret_states(form.secret_names),
    )


def _detail_page(
    request: WorkspaceRequest,
    target: Target,
    connection: Connection | None = None,
    problem: str = "",
) -> HttpResponse:
    return render_page(
        request,
        "targets/detail.html",
        fragment="connection",
        detail=queries.target_detail(target),
        created=target,
        connection=connection,
        problem=problem,
    )
