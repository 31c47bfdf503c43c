"""Finding the dataset version that a caller named."""

from collections.abc import Iterable

from django.core.exceptions import ValidationError

from apps.accounts.models import Workspace

from .models import DatasetVersion


def version_named(workspace: Workspace, name: str) -> DatasetVersion:
    """`name` for the newest version of a dataset, `name@label` for one, or an id."""
    versions = DatasetVersion.objects.filter(dataset__workspace=workspace).select_related("dataset")
    dataset, _, label = name.partition("@")
    for candidate in (
        versions.filter(pk=name),
        versions.filter(dataset=name),
        versions.filter(dataset__name=name),
        versions.filter(dataset__name=dataset, label=label),
    ):
        if version := candidate.order_by("-created_at", "-pk").first():
            return version
    names = workspace.datasets.filter(archived_at=None).values_list("name", flat=True)
    raise ValidationError(unknown("dataset", name, names))


def unknown(kind: str, name: str, names: Iterable[str]) -> str:
    known = ", ".join(list(dict.fromkeys(names))[:10]) or "none yet"
    return f"There is no {kind} {name!r} here. There is: {known}."
