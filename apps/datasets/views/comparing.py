"""Two versions of a dataset beside each other."""

import json
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.shortcuts import get_object_or_404

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.datasets import queries, withholding
from apps.datasets.comparing import versions as comparing
from apps.datasets.comparing.differing import FieldChange, changed_fields
from apps.datasets.comparing.versions import Change, Comparison, Kind
from apps.datasets.models import Dataset, DatasetVersion, Record
from apps.datasets.sight import Sight
from apps.web.rendering import render_page

PAGE = 20


class Shown(NamedTuple):
    change: Change
    fields: list[FieldChange]


@door(GET=Permission.VIEW_DATASETS)
def compare(request: WorkspaceRequest, workspace: Workspace, dataset_id: str) -> HttpResponse:
    """`?from=` and `?to=` name the versions; without them the last two are compared."""
    dataset = get_object_or_404(workspace.datasets, pk=dataset_id)
    versions = list(queries.versions(dataset).order_by("-pk")[: queries.MOST_OFFERED])
    old, new = _chosen(dataset, request.GET.get("from"), request.GET.get("to"), versions)
    shown = _compared(request, old, new) if old and new else {}
    return render_page(
        request,
        "datasets/compare.html",
        fragment="changes",
        dataset=dataset,
        versions=versions,
        old=old,
        new=new,
        **shown,
    )


def _compared(
    request: WorkspaceRequest, old: DatasetVersion, new: DatasetVersion
) -> dict[str, Any]:
    withholding.check_records(request.user, old, new)
    counts = comparing.compare(old, new)
    kind = _kind(request.GET.get("kind", ""), counts)
    found = comparing.changes(old, new, kind, after=_after(request), most=PAGE + 1)
    sight = Sight(request.workspace)
    return {
        "counts": counts,
        "kind": kind,
        "n": getattr(counts, kind),
        "tabs": [(each, getattr(counts, each)) for each in comparing.KINDS],
        "changes": [Shown(change, _fields(change, sight)) for change in found[:PAGE]],
        "next": queries.ordinal_of(found[PAGE - 1]) if len(found) > PAGE else None,
        "goes_on": _after(request) >= 0,
    }


def _chosen(
    dataset: Dataset, old: str | None, new: str | None, versions: list[DatasetVersion]
) -> tuple[DatasetVersion | None, DatasetVersion | None]:
    newer = _version(dataset, new) or (versions[0] if versions else None)
    older = _version(dataset, old)
    if older is None and newer is not None:
        older = next((each for each in versions if each.pk < newer.pk), None)
    return older, newer


def _version(dataset: Dataset, version_id: str | None) -> DatasetVersion | None:
    if not version_id:
        return None
    return get_object_or_404(queries.versions(dataset), pk=version_id)


def _kind(wanted: str, counts: Comparison) -> Kind:
    """What was asked for, else the first kind of which there are any."""
    for kind in comparing.KINDS:
        if kind == wanted:
            return kind
    return next((kind for kind in comparing.KINDS if getattr(counts, kind)), "changed")


def _after(request: WorkspaceRequest) -> int:
    given = request.GET.get("after", "")
    return int(given) if given.isdecimal() and len(given) < 10 else -1


def _fields(change: Change, sight: Sight) -> list[FieldChange]:
    before, after = (_said(record, sight) for record in (change.before, change.after))
    return changed_fields(before, after)


def _said(record: Record | None, sight: Sight) -> dict[str, Any]:
    """What the file said, and what reading added under a name of its own."""
    if record is None:
        return {}
    payload = sight.value(json.loads(record.payload))
    row = payload.get("row")
    if not isinstance(row, dict):
        return dict(payload)
    resolved = payload.get("resolved")
    return {**row, "(read along)": resolved} if resolved else dict(row)
