"""Exports that ended unwritten: what was written of them goes."""

from datetime import datetime, timedelta

from django.db import transaction

from apps.artifacts import references
from apps.artifacts.models import Artifact, Bundle
from apps.jobs.models import JobState
from apps.labeling.models import Export

UNWRITTEN = (JobState.CANCELLED, JobState.FAILED)
EVERY = timedelta(hours=1)
QUIET_FOR = timedelta(hours=1)
"""A worker that was cancelled may write on for a moment; younger files are never released."""


def clear(now: datetime) -> None:
    """The files and bundles of exports that were cancelled or failed; the rows of these stay."""
    ended = Export.objects.filter(
        state__in=UNWRITTEN,
        finished_at__lt=now - QUIET_FOR,
        bundle__sealed_at=None,
    ).exclude(bundle=None)
    for export in ended:
        references.release(_without_its_bundle(export))


def _without_its_bundle(export: Export) -> list[str]:
    """What its files were; none where it goes on by now."""
    ended = Export.objects.filter(pk=export.pk, state__in=UNWRITTEN, bundle=export.bundle_id)
    files = Artifact.objects.filter(bundle=export.bundle_id)
    with transaction.atomic():
        if not ended.update(bundle=None):
            return []
        written = [sha256 for sha256 in files.values_list("blob", flat=True) if sha256]
        files.delete()
        Bundle.objects.filter(pk=export.bundle_id).delete()
    return written
