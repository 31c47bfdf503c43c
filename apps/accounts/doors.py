"""The doors to pages: who may come in is decided here, closed by default."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from .models import Membership, User, Workspace
from .permissions import Permission, roles_sentence

P = ParamSpec("P")
AnyView = TypeVar("AnyView", bound=Callable[..., Any])
PAGE_METHODS = ("GET", "POST")
LAST_WORKSPACE = "workspace"


class HtmxRequest(HttpRequest):
    htmx: HtmxDetails
    request_id: str
    section: str
    """The section that the page belongs to, where that is not its app's."""


class MemberRequest(HtmxRequest):
    """The request of a person who came in through `signed_in`."""

    user: User


class WorkspaceRequest(MemberRequest):
    """The request of a member who came in through `door`."""

    workspace: Workspace
    membership: Membership


Page = Callable[Concatenate[WorkspaceRequest, Workspace, P], HttpResponseBase]
PersonalPage = Callable[Concatenate[MemberRequest, P], HttpResponseBase]
Routed = Callable[..., HttpResponseBase]


def door(
    every_method: Permission | None = None, /, **by_method: Permission
) -> Callable[[Page[P]], Routed]:
    """Let members with the permission in; strangers get 404, other members 403.

    `door(VIEW_RUNS)` serves GET and POST alike, `door(GET=VIEW_MEMBERS, POST=MANAGE_MEMBERS)` only
    what it names. The URL has a `slug`; the view gets the workspace in its place.
    """
    permissions = by_method or dict.fromkeys(PAGE_METHODS, _required(every_method))

    def decorate(view: Page[P]) -> Routed:
        @wraps(view)
        def guarded(
            request: HtmxRequest, slug: str, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponseBase:
            method = "GET" if request.method == "HEAD" else str(request.method)
            if method not in permissions:
                return HttpResponseNotAllowed(sorted(permissions))
            if not request.user.is_authenticated:
                return _to_sign_in(request)
            if any("\0" in each for each in (slug, *map(str, args), *map(str, kwargs.values()))):
                raise Http404  # PostgreSQL keeps no such name, and does not look for one
            entered = _enter(request, request.user, slug, permissions[method])
            return view(entered, entered.workspace, *args, **kwargs)

        guarded.permissions = permissions  # type: ignore[attr-defined]
        return guarded

    return decorate


def signed_in(view: PersonalPage[P]) -> Routed:
    """For pages of the person alone, outside any workspace."""

    @wraps(view)
    def guarded(request: HtmxRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _to_sign_in(request)
        return view(cast(MemberRequest, request), *args, **kwargs)

    guarded.signed_in = True  # type: ignore[attr-defined]
    return guarded


def public(view: AnyView) -> AnyView:
    """Mark one of the few pages that need no sign-in."""
    view.public = True  # type: ignore[attr-defined]
    return view


def authorise(membership: Membership, permission: Permission) -> None:
    """Refuse with a sentence that says which role it takes."""
    if not membership.allows(permission):
        raise PermissionDenied(
            f"You are a {membership.role} in {membership.workspace}; "
            f"this takes {roles_sentence(permission)}."
        )


def _enter(request: HtmxRequest, user: User, slug: str, permission: Permission) -> WorkspaceRequest:
    membership = Membership.objects.of(user, slug)
    if membership is None:
        raise Http404("There is no such workspace, or you are not a member of it.")
    entered = cast(WorkspaceRequest, request)
    # Before anybody is refused: the page that says so keeps the ways to the others.
    entered.membership, entered.workspace = membership, membership.workspace
    authorise(membership, permission)
    if request.session.get(LAST_WORKSPACE) != slug:
        request.session[LAST_WORKSPACE] = slug
    return entered


def _to_sign_in(request: HtmxRequest) -> HttpResponse:
    """Come back here afterwards; an htmx request moves the whole page, not its fragment."""
    if request.htmx:
        return HttpResponseClientRedirect(reverse("accounts:sign-in"))
    came_to_read = request.method in ("GET", "HEAD")
    back = request.get_full_path() if came_to_read else reverse("home")
    return redirect_to_login(back)


def _required(permission: Permission | None) -> Permission:
    if permission is None:
        raise TypeError("A door needs a permission.")
    return permission
