"""From stored bytes to a version or a report: one function for form, API and command line."""

import time
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models.functions import Now

from apps.accounts.models import User, Workspace
from apps.accounts.services import record as audit
from apps.accounts.services.audit import Via
from apps.artifacts import store
from apps.artifacts.canonical import canonical, sha256_hex
from apps.artifacts.models import Blob
from apps.jobs import services as jobs
from apps.jobs.leases import Lease, LeaseLost, claim
from apps.jobs.models import OPEN, JobState

from . import accepting
from .contracts import Rejected
from .models import Dataset, Upload, UploadFile
from .reading import DEFAULT_FORMAT, MAX_BYTES, Progress, read_file

BIG_BYTES = 4_000_000
BIG_AT_ONCE = 2
HEAD_START = timedelta(minutes=1)
PATIENCE_SECONDS = 300
BROKE = "Reading the file failed by a fault of ours: tell your admin the id of the upload."

_big = BoundedSemaphore(BIG_AT_ONCE)


def accept_document(
    *,
    workspace: Workspace,
    chunks: Iterable[bytes],
    filename: str,
    by: User | None,
    dataset_name: str = "",
    format_id: str = DEFAULT_FORMAT,
    request_id: str = "",
    via: Via = "api",
    told: Progress | None = None,
) -> Upload:
    """Store a document and validate it in this process; `outcome` of the upload is the answer.

    Raises `store.FileTooLarge` as soon as there are more bytes than may be, and ValidationError
    for a name that no dataset can have.
    """
    require_name(dataset_name)
    upload = start_upload(
        workspace=workspace,
        blob=store.put(chunks, limit=MAX_BYTES),
        filename=filename,
        by=by,
        format_id=format_id,
        dataset_name=dataset_name,
        request_id=request_id,
        via=via,
        here=True,
    )
    return validate_now(upload, told)


def start_upload(
    *,
    workspace: Workspace,
    blob: Blob,
    filename: str,
    by: User | None,
    format_id: str = "",
    dataset_name: str = "",
    request_id: str = "",
    via: Via = "page",
    here: bool = False,
) -> Upload:
    """Make the row of stored bytes. A worker takes it; `here` gives this process a head start."""
    options = {"dataset_name": dataset_name} if dataset_name else {}
    with transaction.atomic():
        upload = Upload.objects.create(
            workspace=workspace,
            format=format_id,
            options=options,
            identity=sha256_hex(canonical(["dataset", format_id, options, blob.sha256])),
            name=Path(filename).name[:200] or "upload",
            total=blob.size,
            created_by=by,
            request_id=request_id,
            via=via,
            **({"not_before": Now() + HEAD_START} if here else {}),
        )
        UploadFile.objects.create(upload=upload, path=upload.name, blob=blob)
        if not here:
            transaction.on_commit(partial(jobs.send_due, Upload))
    return upload


def validate_now(upload: Upload, told: Progress | None = None) -> Upload:
    """Validate in this process, under the same lease that a worker would hold.

    Two big documents at once at most: what they take of memory stays bounded.
    """
    with _turn(upload):
        lease = claim(Upload, upload.pk)
        if lease is not None:
            lease.job.told = told  # type: ignore[attr-defined]
            jobs.perform(lease)
        else:
            _wait_for_whoever_has(upload)
    return Upload.objects.select_related("version__dataset", "workspace").get(pk=upload.pk)


def cancel(upload: Upload, *, by: User, via: Via = "page", request_id: str = "") -> bool:
    """Stop it before anything is written; False when it had ended already."""
    with transaction.atomic():
        rows = Upload.objects.filter(pk=upload.pk, state__in=OPEN)
        if not rows.update(state=JobState.CANCELLED, lease="", lease_until=None, finished_at=Now()):
            return False
        audit(
            workspace=upload.workspace,
            actor=by,
            verb="cancelled",
            obj=upload,
            via=via,
            request_id=request_id,
        )
    return True


def set_archived(
    dataset: Dataset, archived: bool, *, by: User, via: Via = "page", request_id: str = ""
) -> None:
    """Take a dataset out of the lists, or put it back; nothing is deleted."""
    standing = Dataset.objects.filter(pk=dataset.pk, archived_at__isnull=archived)
    with transaction.atomic():
        if standing.update(archived_at=Now() if archived else None):
            audit(
                workspace=dataset.workspace,
                actor=by,
                verb="archived" if archived else "restored",
                obj=dataset,
                via=via,
                request_id=request_id,
            )


def require_name(name: str) -> None:
    if len(name) > 128 or not name.isprintable() or name != name.strip():
        raise ValidationError("name must be 1 to 128 printable characters, no space at the ends.")


# -- the job --------------------------------------------------------------------------------


def perform(upload: Upload, lease: Lease) -> None:
    """Read the bytes; then one transaction writes version and records, or the report alone."""
    path = store.path(upload.files.get(role=UploadFile.Role.MAIN).blob_id)
    try:
        reading = read_file(
            path,
            name=upload.name,
            format_id=upload.format,
            progress=_progress(upload, lease),
        )
    except Rejected as rejected:
        accepting.refuse(upload, rejected, lease)
        return
    if not lease.renew(done=upload.total):
        raise LeaseLost
    try:
        reading.refuse_if_nothing_is_left()
        accepting.accept(upload, reading, lease)
    except Rejected as rejected:
        accepting.refuse(upload, rejected, lease, reading)


def give_up(upload: Upload, error: str) -> None:
    """After five surprises: the report says that it was us."""
    details: dict[str, Any] = {"upload_id": upload.pk}
    broke = Rejected(BROKE, code="internal_error", status=500, details=details)
    accepting.conclude(upload, accepting.refusal(broke), None, None)


def _progress(upload: Upload, lease: Lease) -> Progress:
    told = upload.told

    def progress(done: int, total: int) -> None:
        lease.progress(done, total)
        if told is not None:
            told(done, total)

    return progress


def _wait_for_whoever_has(upload: Upload) -> None:
    """A worker may take what waited for its turn here past the head start."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while Upload.objects.filter(pk=upload.pk, state__in=OPEN).exists():
        if time.monotonic() > deadline:
            return
        time.sleep(0.2)


def _turn(upload: Upload) -> AbstractContextManager[Any]:
    return _big if upload.total > BIG_BYTES else nullcontext()
