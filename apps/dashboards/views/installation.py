"""The page on which admins read how the installation is."""

from django.http import HttpResponse
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.dashboards.installation import installation
from apps.web.rendering import render_page


@door(GET=Permission.VIEW_SYSTEM)
def system(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    request.section = "accounts"
    found = installation(timezone.now())
    return render_page(request, "dashboards/system.html", fragment="system", found=found)
