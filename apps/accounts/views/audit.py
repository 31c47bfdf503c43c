"""The audit log of a workspace."""

from django.http import HttpResponse

from apps.accounts import queries
from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.forms import AuditFilterForm
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.web.paging import keyset
from apps.web.rendering import render_page


@door(GET=Permission.VIEW_AUDIT)
def audit(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    form = AuditFilterForm(request.GET, workspace=workspace)
    events = queries.audit_events(workspace, form.wanted())
    page = keyset(events, order=("-pk",), cursor=request.GET.get("cursor"))
    return render_page(request, "accounts/audit.html", fragment="events", form=form, page=page)
