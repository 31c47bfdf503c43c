"""API tokens: made with an expiry, shown once, revoked."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from apps.accounts import queries, services
from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.forms import TokenForm
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.web.rendering import render_page


@door(Permission.USE_TOKENS)
def tokens(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    form = TokenForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _create(request, workspace, form)
        except ValidationError as error:
            form.add_error(None, error)
    return _tokens_page(request, workspace, form)


@door(POST=Permission.USE_TOKENS)
def revoke(request: WorkspaceRequest, workspace: Workspace, token_id: int) -> HttpResponse:
    token = get_object_or_404(queries.tokens(workspace, request.user), pk=token_id)
    services.revoke_token(
        token=token, actor=request.user, now=timezone.now(), request_id=request.request_id
    )
    messages.success(request, f"The token {token.name} is revoked: nothing gets in with it.")
    return redirect("accounts:tokens", slug=workspace.slug)


def _create(request: WorkspaceRequest, workspace: Workspace, form: TokenForm) -> HttpResponse:
    """Answer with the token itself: only its hash is kept, so no redirect could show it."""
    token, plaintext = services.create_token(
        user=request.user,
        workspace=workspace,
        name=form.cleaned_data["name"],
        lifetime=form.lifetime,
        now=timezone.now(),
        actor=request.user,
        request_id=request.request_id,
    )
    page = _tokens_page(request, workspace, TokenForm(), created=token, plaintext=plaintext)
    page["Cache-Control"] = "no-store"
    return page


def _tokens_page(
    request: WorkspaceRequest, workspace: Workspace, form: TokenForm, **shown: Any
) -> HttpResponse:
    now = timezone.now()
    listed = [(token, token.state(now)) for token in queries.tokens(workspace, request.user)]
    return render_page(request, "accounts/tokens.html", form=form, tokens=listed, **shown)
