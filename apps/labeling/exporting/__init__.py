"""Labels of a campaign as write-once files, made by a worker."""

from collections.abc import Callable

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from apps.artifacts import bundles
from apps.artifacts.models import Bundle
from apps.artifacts.redaction import Redactor
from apps.jobs.leases import Lease, LeaseLost
from apps.jobs.models import JobState
from apps.labeling.models import Export

from .files import Files, Row
from .labels import write_labels
from .lines import write_lines
from .manifest import manifest_of
from .source import Source
from .tasks import write_tasks
from .training import write_training

_WRITE: dict[str, Callable[[Source, Files], Row]] = {
    Export.Form.LABELS: write_labels,
    Export.Form.TASKS: write_tasks,
    Export.Form.LINES: write_lines,
    Export.Form.TRAINING: write_training,
}
"""What each tells of its rows stands in the manifest."""


def perform(export: Export, lease: Lease) -> None:
    """Write the files and seal them: killed at any moment it starts over, cancelled it stops.

    Labels that cannot be said in the form end it, with a sentence that says which.
    """
    related = ("campaign__run__dataset_version__dataset", "campaign__workspace", "created_by")
    found = Export.objects.select_related(*related, "bundle").get(pk=export.pk)
    redactor = Redactor(personal=True)
    source = Source(found, redactor, lease, as_of=timezone.now())
    bundle = _bundle(found, lease)
    files = Files(bundle, redactor)
    try:
        told = _WRITE[found.form](source, files)
    except ValidationError as error:
        lease.close(JobState.FAILED, error=error.messages[0])
        return
    _seal(source, bundle, files, told, lease)


def _seal(source: Source, bundle: Bundle, files: Files, told: Row, lease: Lease) -> None:
    n = sum(files.rows.values())
    with transaction.atomic():
        lease.require()
        bundles.seal(bundle, manifest_of(source, files.rows, told), timezone.now())
        if not lease.close(done=n, total=n):
            raise LeaseLost


def _bundle(export: Export, lease: Lease) -> Bundle:
    """Its bundle, made once: who starts over goes on with it."""
    if export.bundle is None:
        with transaction.atomic():
            lease.require()
            bundle = bundles.open_bundle(workspace=export.campaign.workspace, kind="export")
            Export.objects.filter(pk=export.pk).update(bundle=bundle)
        export.bundle = bundle
    return export.bundle
