"""The state of the labelling desk, as it was at the last look."""

from django.http import HttpResponse

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.labeling.desk import watching
from apps.labeling.members import entering
from apps.web.rendering import render_page


@door(GET=Permission.VIEW_WORKSPACE)
def desk(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    leads = request.membership.allows(Permission.MANAGE_CAMPAIGNS)
    steps = watching.steps_in_trouble(workspace)[: watching.SHOWN] if leads else []
    page = render_page(
        request,
        "labeling/desk.html",
        fragment="desk",
        state=watching.state_of_the_desk(workspace),
        steps=steps,
        leads=leads,
        address=entering.address_for(request.get_host()),
        takes_tickets=entering.takes_tickets(),
    )
    return entering.allow_forms_to_lead_there(page, request.get_host())
