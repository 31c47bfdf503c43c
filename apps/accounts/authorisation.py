"""Who may call the API; no import of DRF's views, whose settings name this module."""

from typing import TYPE_CHECKING

from django.http import Http404
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from apps.web.errors import Problem

from .doors import authorise
from .models import ApiToken, Membership, User, Workspace
from .permissions import Permission

if TYPE_CHECKING:
    from rest_framework.views import APIView


class RolePermission(BasePermission):
    """Members whose role has what the view asks for this method; it is shut if it asks nothing.

    Who comes in has `request.workspace` and `request.membership`.
    """

    def has_permission(self, request: Request, view: "APIView") -> bool:
        if not isinstance(request.user, User):
            return False
        method = str(request.method)
        if method not in view.allowed_methods:
            return True  # DRF answers 405 by itself
        permission = _declared(view).get("GET" if method == "HEAD" else method)
        if permission is None:
            return False
        membership = _membership(request, request.user)
        authorise(membership, permission)
        request.membership = membership  # type: ignore[attr-defined]
        request.workspace = membership.workspace  # type: ignore[attr-defined]
        return True


def _declared(view: "APIView") -> dict[str, Permission]:
    return getattr(view, "permissions", {})


def _membership(request: Request, user: User) -> Membership:
    slug = request.query_params.get("workspace") or _only_workspace(request, user)
    scope = request.auth.workspace.slug if isinstance(request.auth, ApiToken) else slug
    membership = Membership.objects.of(user, slug) if slug == scope else None
    if membership is None:
        raise Http404("There is no such workspace, or this sign-in or token does not reach it.")
    return membership


def _only_workspace(request: Request, user: User) -> str:
    if isinstance(request.auth, ApiToken):
        return request.auth.workspace.slug
    slugs = list(Workspace.objects.visible_to(user).values_list("slug", flat=True))
    if len(slugs) == 1:
        return slugs[0]
    if not slugs:
        raise Problem("You are in no workspace yet: ask an admin for an invitation.")
    raise Problem(
        "You are in several workspaces: name one as ?workspace=…", details={"workspaces": slugs}
    )
