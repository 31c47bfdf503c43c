"""Finding datasets, runs and records by a few letters: bounded, whatever there is."""

from dataclasses import dataclass
from typing import NamedTuple

from django.db import connection
from django.db.models import OuterRef, Q, Subquery

from apps.accounts.models import User, Workspace
from apps.datasets.models import Dataset, DatasetVersion, Record
from apps.datasets.sight import Sight
from apps.runs.models import Run
from apps.runs.queries import runs

FEWEST_LETTERS = 2
MOST_LETTERS = 128
MOST_OF_A_KIND = 10
VERSIONS_SEARCHED = 20


class FoundRecord(NamedTuple):
    """A record with its beginning, as this workspace lets people see it."""

    record: Record
    head: str


@dataclass(frozen=True)
class Found:
    """At most ten of each kind; `more` names the kinds that have further ones."""

    text: str
    datasets: list[Dataset]
    runs: list[Run]
    records: list[FoundRecord]
    more: frozenset[str]

    @property
    def is_empty(self) -> bool:
        return not (self.datasets or self.runs or self.records)


def search(user: User, workspace: Workspace, text: str) -> Found:
    """Datasets and runs whose name contains the text, records whose id begins with it.

    Four queries; records are looked for in the latest version of the 20 newest datasets.
    """
    wanted = text.replace("\0", "").strip()[:MOST_LETTERS]
    if len(wanted) < FEWEST_LETTERS:
        return Found(wanted, [], [], [], frozenset())
    datasets = _datasets(user, workspace, wanted)
    named = _runs(user, workspace, wanted)
    records = _records(user, workspace, wanted)
    kinds = {"datasets": datasets, "runs": named, "records": records}
    return Found(
        wanted,
        datasets[:MOST_OF_A_KIND],
        named[:MOST_OF_A_KIND],
        records[:MOST_OF_A_KIND],
        frozenset(kind for kind, found in kinds.items() if len(found) > MOST_OF_A_KIND),  # type: ignore[arg-type]
    )


def _datasets(user: User, workspace: Workspace, text: str) -> list[Dataset]:
    visible = Dataset.objects.visible_to(user).filter(workspace=workspace)
    return list(visible.filter(name__icontains=text).order_by("name")[: MOST_OF_A_KIND + 1])


def _runs(user: User, workspace: Workspace, text: str) -> list[Run]:
    named = Q(name__icontains=text) | Q(pk__istartswith=text)
    named |= Q(dataset_version__dataset__name__icontains=text)
    return list(runs(user, workspace).filter(named).order_by("-pk")[: MOST_OF_A_KIND + 1])


def _records(user: User, workspace: Workspace, text: str) -> list[FoundRecord]:
    found = (
        Record.objects.filter(_begins(text), version__in=_latest_versions(user, workspace))
        .select_related("version__dataset")
        .defer("payload")
        .order_by("record_id", "-version")
    )
    sight = Sight(workspace)
    return [FoundRecord(each, sight.text(each.head)) for each in found[: MOST_OF_A_KIND + 1]]


def _latest_versions(user: User, workspace: Workspace) -> list[str]:
    newest = DatasetVersion.objects.filter(dataset=OuterRef("pk")).order_by("-pk")
    datasets = Dataset.objects.visible_to(user).active().filter(workspace=workspace)
    latest = datasets.annotate(latest=Subquery(newest.values("pk")[:1])).exclude(latest=None)
    return list(latest.order_by("-latest").values_list("latest", flat=True)[:VERSIONS_SEARCHED])


def _begins(text: str) -> Q:
    """SQLite's LIKE leaves the index of (version, record_id) aside, a range does not."""
    if connection.vendor == "sqlite":
        return Q(record_id__gte=text, record_id__lt=f"{text}\U0010ffff")
    return Q(record_id__startswith=text)
