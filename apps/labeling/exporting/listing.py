"""The exports of a campaign as a page and the API show them."""

from django.db.models import QuerySet

from apps.artifacts import bundles
from apps.artifacts.models import Artifact
from apps.artifacts.verification import MANIFEST, Report
from apps.labeling.models import Campaign, Export

from .labels import CONTRACT
from .tasks import MERGED

MOST_BYTES_VERIFIED = 100_000_000
TOO_LARGE = (
    "More than 100 MB take too long for a page: take the zip, and evalhub verify its folder."
)
NOT_WRITTEN = "The export has no files yet: they are sealed when it is done."


def exports_of(campaign: Campaign) -> QuerySet[Export]:
    """With their files: two queries."""
    related = campaign.exports.select_related("bundle", "created_by")
    return related.prefetch_related("bundle__artifacts")


def files_of(export: Export) -> list[Artifact]:
    """Once it is done: the manifest last."""
    if export.bundle is None or not export.bundle.sealed:
        return []
    files = sorted(export.bundle.artifacts.all(), key=lambda file: file.name)
    return sorted(files, key=lambda file: file.name == MANIFEST)


def rows_in(export: Export) -> int:
    """Of the tables that say all: what is in another one as well counts once."""
    again = (CONTRACT, MERGED)
    return sum(file.rows or 0 for file in files_of(export) if file.name not in again)


def verified(export: Export) -> tuple[Report | None, str]:
    """The report, or why there is none."""
    files = files_of(export)
    if export.bundle is None or not files:
        return None, NOT_WRITTEN
    if sum(file.size for file in files) > MOST_BYTES_VERIFIED:
        return None, TOO_LARGE
    return bundles.verify(export.bundle), ""
