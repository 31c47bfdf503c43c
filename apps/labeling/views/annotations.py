"""What people said about the answers that came with a dataset."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets.models import DatasetVersion
from apps.datasets.sight import Sight
from apps.labeling.models import Campaign
from apps.labeling.queries import LabelFilter, counts_of, listed
from apps.web.paging import keyset
from apps.web.rendering import render_page

ORDER = ("item__result__ordinal", "pk")


@door(GET=Permission.VIEW_ANNOTATIONS)
def annotations(request: WorkspaceRequest, workspace: Workspace, version_id: str) -> HttpResponse:
    versions = DatasetVersion.objects.filter(dataset__workspace=workspace)
    version = get_object_or_404(versions.select_related("dataset"), pk=version_id)
    wanted = LabelFilter.model_validate(request.GET.dict())
    page = keyset(listed(version, wanted), ORDER, request.GET.get("cursor"))
    sight = Sight(workspace)
    imports = Campaign.objects.filter(run__dataset_version=version, kind=Campaign.Kind.IMPORT)
    return render_page(
        request,
        "labeling/annotations.html",
        fragment="labels",
        version=version,
        wanted=wanted,
        narrowed=wanted != LabelFilter(),
        counts=counts_of(version),
        campaign=imports.first(),
        page=page,
        rows=[(each, sight.text(each.label or each.discard_reason)) for each in page.items],
    )
