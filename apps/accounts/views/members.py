"""Who is in the workspace, what they may do, and who is invited."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone

from apps.accounts import mail, queries, services
from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.forms import InviteForm, RoleForm
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission, Role
from apps.web.rendering import render_page
from apps.web.telling import tell


@door(GET=Permission.VIEW_MEMBERS, POST=Permission.MANAGE_MEMBERS)
def members(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    form = InviteForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _invite(request, workspace, form)
        except ValidationError as error:
            form.add_error(None, error)
    return _members_page(request, workspace, form)


@door(POST=Permission.MANAGE_MEMBERS)
def change_member_role(
    request: WorkspaceRequest, workspace: Workspace, membership_id: int
) -> HttpResponse:
    membership = get_object_or_404(queries.members(workspace), pk=membership_id)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose one of the roles reviewer, lead and admin.")
        return redirect("accounts:members", slug=workspace.slug)
    role = Role(form.cleaned_data["role"])
    return _told(
        request,
        workspace,
        lambda: services.change_role(
            membership=membership, role=role, actor=request.user, request_id=request.request_id
        ),
        f"{membership.user.label} is a {role} now.",
    )


@door(POST=Permission.MANAGE_MEMBERS)
def remove(request: WorkspaceRequest, workspace: Workspace, membership_id: int) -> HttpResponse:
    membership = get_object_or_404(queries.members(workspace), pk=membership_id)
    return _told(
        request,
        workspace,
        lambda: services.remove_member(
            membership=membership,
            actor=request.user,
            now=timezone.now(),
            request_id=request.request_id,
        ),
        f"{membership.user.label} has no access to {workspace} any more.",
    )


@door(POST=Permission.MANAGE_MEMBERS)
def revoke_member_invitation(
    request: WorkspaceRequest, workspace: Workspace, invitation_id: int
) -> HttpResponse:
    invitation = get_object_or_404(workspace.invitations, pk=invitation_id)
    services.revoke_invitation(
        invitation=invitation,
        actor=request.user,
        now=timezone.now(),
        request_id=request.request_id,
    )
    messages.success(request, f"The invitation of {invitation.email} is revoked.")
    return redirect("accounts:members", slug=workspace.slug)


def _invite(request: WorkspaceRequest, workspace: Workspace, form: InviteForm) -> HttpResponse:
    """Answer with the link itself: it is kept nowhere, so no redirect could show it."""
    invitation, secret = services.invite(
        workspace=workspace,
        email=form.cleaned_data["email"],
        role=Role(form.cleaned_data["role"]),
        invited_by=request.user,
        now=timezone.now(),
        request_id=request.request_id,
    )
    link = request.build_absolute_uri(reverse("accounts:invitation", args=[secret]))
    mailed = services.mail_invitation(invitation=invitation, link=link)
    page = _members_page(
        request,
        workspace,
        InviteForm(),
        invited=invitation,
        link=link,
        mailed=mailed,
        has_mail=mail.is_set_up(),
    )
    page["Cache-Control"] = "no-store"
    return page


def _members_page(
    request: WorkspaceRequest, workspace: Workspace, form: InviteForm, **shown: Any
) -> HttpResponse:
    return render_page(
        request,
        "accounts/members.html",
        form=form,
        members=queries.members(workspace),
        invitations=queries.open_invitations(workspace, timezone.now()),
        permissions=queries.permissions_table(),
        roles=list(Role),
        may_manage=request.membership.allows(Permission.MANAGE_MEMBERS),
        **shown,
    )


def _told(
    request: WorkspaceRequest, workspace: Workspace, change: Callable[[], object], done: str
) -> HttpResponse:
    tell(request, change, done)
    return redirect("accounts:members", slug=workspace.slug)
