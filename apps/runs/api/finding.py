"""The runs that whoever asks may see, in the workspace that they ask about."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from apps.accounts.api import WorkspaceAPIView
from apps.runs.models import Run


def visible_runs(view: WorkspaceAPIView) -> QuerySet[Run]:
    runs = Run.objects.visible_to(view.request.user).filter(workspace=view.request.workspace)
    return runs.select_related("workspace", "dataset_version__dataset", "bundle", "created_by")


def run_of(view: WorkspaceAPIView, run_id: str) -> Run:
    return get_object_or_404(visible_runs(view), pk=run_id)
