"""What every page shows of the person who looks at it."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from .models import Workspace


def people(request: HttpRequest) -> dict[str, Any]:
    """The workspaces this person may switch to and their role in the current one."""
    # A request refused before anybody was looked up (a wrong host) still gets an error page.
    user = getattr(request, "user", AnonymousUser())
    return {
        "workspaces": Workspace.objects.visible_to(user),
        "workspace": getattr(request, "workspace", None),
        "membership": getattr(request, "membership", None),
    }
