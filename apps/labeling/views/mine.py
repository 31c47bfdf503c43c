"""A reviewer's own page: what waits for them, and the way to it."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.labeling.desk import desks, watching
from apps.labeling.desk.protocol import DeskDown, DeskRefused
from apps.labeling.members import entering, people, waiting
from apps.labeling.models import Queue
from apps.labeling.queries import key_in
from apps.web.rendering import render_page

SUBMITTED = "submitted"
DOWN = "The labelling desk does not answer now. Try again in a minute."
NO_ACCOUNT = "You have no account at the desk yet: it is made when a campaign of yours opens."


@door(GET=Permission.LABEL_ANSWERS)
def mine(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    return _page(request, workspace)


@door(POST=Permission.LABEL_ANSWERS)
def enter(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    """To the desk; where it is our own, signed in already."""
    path, host = _path(request, workspace), request.get_host()
    try:
        desks.current().ping()  # rather told here than by a page that does not open
        return redirect(_way_in(request, path, host))
    except DeskDown:
        return _refused(request, DOWN)
    except DeskRefused as error:
        return _refused(request, str(error))


@door(POST=Permission.LABEL_ANSWERS)
def account(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    """The account at a desk that is not ours, with a password that is shown this once."""
    known = people.known_account(request.user)
    if known is None:
        return _refused(request, NO_ACCOUNT)
    try:
        password = people.hand_over(
            known,
            desks.current(),
            again="again" in request.POST,
            workspace=workspace,
            now=timezone.now(),
            request_id=request.request_id,
        )
    except ValidationError as error:
        return _refused(request, " ".join(error.messages))
    except DeskDown:
        return _refused(request, f"{DOWN} Nothing has changed.")
    except DeskRefused as error:
        return _refused(request, f"{error} Nothing has changed: try again later.")
    page = _page(request, workspace, password=password)
    page["Cache-Control"] = "no-store"
    return page


def _page(request: WorkspaceRequest, workspace: Workspace, **shown: Any) -> HttpResponse:
    found = waiting.waiting_for(request.user, workspace)
    state = watching.state_of_the_desk(workspace)
    page = render_page(
        request,
        "labeling/mine.html",
        fragment="waiting",
        waiting=found,
        state=state,
        live=found.asks and state.status != "off",
        account=people.known_account(request.user),
        takes_tickets=entering.takes_tickets(),
        address=entering.address_for(request.get_host()),
        **shown,
    )
    return entering.allow_forms_to_lead_there(page, request.get_host())


def _way_in(request: WorkspaceRequest, path: str, host: str) -> str:
    if not entering.takes_tickets():
        return f"{entering.address_for(host)}{path}"
    known = people.known_account(request.user)
    entrant = known or people.account_of(request.user, desks.current())
    return entering.way_in(entrant, path, host=host, now=timezone.now())


def _path(request: WorkspaceRequest, workspace: Workspace) -> str:
    """The page of one of their queues, or the desk's own."""
    key = request.POST.get("queue", "")
    if not key:
        return entering.HOME
    theirs = Queue.objects.filter(campaign__workspace=workspace).exclude(dataset_id="")
    theirs = theirs.filter(campaign__assignments__user=request.user)
    queue = get_object_or_404(theirs, pk=key_in(key))
    status = SUBMITTED if request.POST.get("status") == SUBMITTED else "pending"
    return entering.page_of(queue.dataset_id, status=status)


def _refused(request: WorkspaceRequest, reason: str) -> HttpResponse:
    messages.error(request, reason)
    return redirect("labeling:mine", slug=request.workspace.slug)
