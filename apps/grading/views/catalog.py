"""The catalog of rules: every type on a page, and each on its own with examples."""

from django.http import Http404, HttpResponse

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.grading.catalog import families, rule_page
from apps.grading.rules import RULE_OF_TYPE
from apps.web.rendering import render_page


@door(GET=Permission.VIEW_CONTRACTS)
def rules(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    q = request.GET.get("q", "")
    return render_page(request, "grading/rules.html", families=families(q), q=q)


@door(GET=Permission.VIEW_CONTRACTS)
def rule(request: WorkspaceRequest, workspace: Workspace, rule_type: str) -> HttpResponse:
    if rule_type not in RULE_OF_TYPE:
        raise Http404("There is no such rule.")
    return render_page(request, "grading/rule.html", rule=rule_page(rule_type))
