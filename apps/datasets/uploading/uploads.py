"""From stored bytes to a version or a report: one function for form, API and command line."""

import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, Unpack

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models.functions import Now

from apps.accounts.models import User, Workspace
from apps.accounts.services import archiving
from apps.accounts.services import record as audit
from apps.accounts.services.audit import Door, Via
from apps.artifacts import store
from apps.artifacts.canonical import canonical, sha256_hex
from apps.artifacts.models import Blob
from apps.datasets.contracts import Options, Rejected
from apps.datasets.models import Dataset, Upload, UploadFile
from apps.fields import check_name
from apps.jobs import services as jobs
from apps.jobs.asking import by_a_worker
from apps.jobs.leases import Lease, LeaseLost, claim
from apps.jobs.models import OPEN, JobState
from apps.naming import shown_name

from . import accepting
from .beside import Beside
from .bundles import MOST_FILES, normal_path
from .reading import AS_IS, MAX_BYTES, Told, read_file

LONGEST_PATH = 400
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
    beside: Mapping[str, Iterable[bytes]] | None = None,
    options: Options = AS_IS,
    request_id: str = "",
    via: Via = "api",
    told: Told | None = None,
) -> Upload:
    """Store a document and validate it in this process; `outcome` of the upload is the answer.

    `beside` are the files that go with it, by their path. Raises `store.FileTooLarge` as soon as
    there are more bytes than may be, and ValidationError for a name that no dataset can have.
    """
    require_options(options)
    upload = start_upload(
        workspace=workspace,
        blob=store.put(chunks, limit=MAX_BYTES),
        filename=filename,
        beside=keep_files(beside or {}),
        by=by,
        options=options,
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
    beside: Mapping[str, Blob] | None = None,
    options: Options = AS_IS,
    request_id: str = "",
    via: Via = "page",
    here: bool = False,
) -> Upload:
    """Make the row of stored bytes. A worker takes it; `here` gives this process a head start."""
    files = {path: each.sha256 for path, each in (beside or {}).items()}
    with transaction.atomic():
        upload = Upload.objects.create(
            workspace=workspace,
            format=options.format,
            options=options.kept,
            identity=sha256_hex(canonical(["dataset", options.kept, blob.sha256, files])),
            name=shown_name(Path(filename).name[:200]) or "upload",
            total=blob.size,
            created_by=by,
            request_id=request_id,
            via=via,
            **({"not_before": Now() + HEAD_START} if here else {}),
        )
        UploadFile.objects.create(upload=upload, path=_path(filename), blob=blob)
        UploadFile.objects.bulk_create(
            UploadFile(upload=upload, role=UploadFile.Role.ATTACHMENT, path=path, blob=each)
            for path, each in (beside or {}).items()
        )
        if not here:
            by_a_worker(Upload)
    return upload


def validate_now(upload: Upload, told: Told | None = None) -> Upload:
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


def set_archived(dataset: Dataset, archived: bool, *, by: User, **door: Unpack[Door]) -> None:
    """Take a dataset out of the lists, or put it back; nothing is deleted."""
    archiving.set_archived(
        dataset,
        Now() if archived else None,
        workspace=dataset.workspace,
        by=by,
        verb="archived" if archived else "restored",
        **door,
    )


def again(upload: Upload, *, by: User, request_id: str = "", **changes: Any) -> Upload:
    """Read the same files once more with other options: a mapping, or the valid records only."""
    options = Options(**upload.options).model_copy(update={"preview": 0, **changes})
    require_options(options)
    main = upload.files.select_related("blob").get(role=UploadFile.Role.MAIN)
    others = upload.files.exclude(role=UploadFile.Role.MAIN).select_related("blob")
    return start_upload(
        workspace=upload.workspace,
        blob=main.blob,
        filename=main.path,
        beside={file.path: file.blob for file in others},
        by=by,
        options=options,
        request_id=request_id,
    )


def keep_files(files: Mapping[str, Iterable[bytes]]) -> dict[str, Blob]:
    """Store the files beside a main one; raises ValidationError for paths that are none."""
    if len(files) > MOST_FILES:
        raise ValidationError(f"At most {MOST_FILES:,} files are taken, not {len(files):,}.")
    kept, left = {}, MAX_BYTES
    for path, chunks in files.items():
        if normal_path(path) != path or len(path) > LONGEST_PATH:
            raise ValidationError(f"{path[:200]} is no path inside the upload.")
        kept[path] = store.put(chunks, limit=left)
        left -= kept[path].size
    return kept


def variables_of(workspace: Workspace) -> dict[str, str]:
    """What `${{ NAME }}` stands for in the workspace's files."""
    return dict(workspace.variables.values_list("name", "value"))


def require_options(options: Options) -> None:
    require_name(options.dataset_name)
    if len(options.label) > 64:
        raise ValidationError("The version must be 1 to 64 characters.")
    check_name(options.label)


def require_name(name: str) -> None:
    if len(name) > 128 or name != name.strip():
        raise ValidationError("name must be 1 to 128 characters, no space at the ends.")
    check_name(name)


# -- the job --------------------------------------------------------------------------------


def perform(upload: Upload, lease: Lease) -> None:
    """Read the bytes; then one transaction writes version and records, or the report alone."""
    options = Options(**upload.options)
    main = upload.files.get(role=UploadFile.Role.MAIN)
    lease.renew(started_at=Now(), read_at=None)
    try:
        reading = read_file(
            store.path(main.blob_id),
            name=main.path,
            files=Beside(upload),
            options=options,
            variables=variables_of(upload.workspace),
            progress=_progress(upload, lease),
        )
    except Rejected as rejected:
        accepting.refuse(upload, rejected, lease)
        return
    if not lease.renew(done=upload.total, read_at=Now(), counts=reading.counts):
        raise LeaseLost
    try:
        if options.preview:
            accepting.show(upload, reading, lease)
            return
        # Receivers turn further rows down: they refuse, once all errors are known.
        is_received = reading.dialect.purpose != "dataset"
        reading.refuse_if_unfit(valid_only=options.valid_only or is_received)
        accepting.accept(upload, reading, lease)
    except Rejected as rejected:
        accepting.refuse(upload, rejected, lease, reading)


def give_up(upload: Upload, error: str) -> None:
    """After five surprises: the report says that it was us."""
    details: dict[str, Any] = {"upload_id": upload.pk}
    broke = Rejected(BROKE, code="internal_error", status=500, details=details)
    accepting.conclude(upload, accepting.refusal(broke), None, None)


def _path(filename: str) -> str:
    """The main file's path in the bundle: as it was sent where that is one, else its name."""
    path = normal_path(filename)
    return path if path and len(path) <= LONGEST_PATH else Path(filename).name[:200] or "upload"


def _progress(upload: Upload, lease: Lease) -> Told:
    told = upload.told

    def progress(done: int, total: int, records: int) -> None:
        lease.progress(done, total, counts={"total": records})
        if told is not None:
            told(done, total, records)

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
