"""Whether the scenarios of a version are an evaluation dataset yet."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets import surveying
from apps.datasets.models import DatasetVersion
from apps.web.rendering import render_page

SCENARIOS = "scenarios"


@door(GET=Permission.VIEW_DATASETS)
def readiness(request: WorkspaceRequest, workspace: Workspace, version_id: str) -> HttpResponse:
    versions = DatasetVersion.objects.filter(dataset__workspace=workspace)
    version = get_object_or_404(versions.select_related("dataset"), pk=version_id)
    if version.format != SCENARIOS:
        raise Http404(f"{version} has no scenarios: the checklist is about scenarios.")
    answers = surveying.readiness_of(version)
    open_questions = sum(answer.verdict in ("no", "partly") for answer in answers)
    return render_page(
        request,
        "datasets/readiness.html",
        fragment="readiness",
        version=version,
        answers=answers,
        open_questions=open_questions,
    )
