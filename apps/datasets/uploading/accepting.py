"""The one transaction that ends an upload: a version with its records, or the report alone."""

import itertools
from typing import Any

from django.db import IntegrityError, transaction

from apps.accounts.services import record as audit
from apps.artifacts.canonical import canonical, sha256_hex
from apps.datasets import purposes
from apps.datasets.contracts import Rejected
from apps.datasets.models import Dataset, DatasetVersion, Upload, UploadFile
from apps.jobs.leases import Lease, LeaseLost
from apps.naming import shown_name

from . import storing
from .reading import DEFAULT_FORMAT, Reading

ATTEMPTS = 3
ARCHIVED = "The dataset is archived: restore it to find it in the list again."


def accept(upload: Upload, reading: Reading, lease: Lease) -> None:
    """Write everything; raises Rejected when the version's name is taken by other bytes.

    Whoever stores the same version at the same moment wins, and we read what they stored.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with transaction.atomic():
                _write(upload, reading, lease)
        except IntegrityError:
            if attempt == ATTEMPTS:
                raise
        else:
            return


def refuse(
    upload: Upload, rejected: Rejected, lease: Lease, reading: Reading | None = None
) -> None:
    """Keep the reason and the issues; nothing else is written."""
    with transaction.atomic():
        lease.require()
        if reading is not None:
            storing.store_issues(upload, reading.issues())
        conclude(upload, refusal(rejected, reading), reading, None)
        _end(lease)


def show(upload: Upload, reading: Reading, lease: Lease) -> None:
    """Keep only what the first records look like: the person decides how to go on."""
    columns = reading.dialect.columns
    outcome = {
        "status": 200,
        "warnings": reading.warnings,
        "preview": {
            "records": [
                {"record_id": record.record_id, "payload": record.payload.decode()}
                for record in reading.records
            ],
            "columns": list(columns),
            "more": reading.not_seen,
        },
    }
    with transaction.atomic():
        lease.require()
        storing.store_issues(upload, reading.issues())
        conclude(upload, outcome, reading, None)
        _end(lease)


def refusal(rejected: Rejected, reading: Reading | None = None) -> dict[str, Any]:
    return {
        "status": rejected.status,
        "code": rejected.code,
        "message": rejected.message,
        "details": rejected.details,
        "warnings": reading.warnings if reading else [],
    }


def conclude(
    upload: Upload,
    outcome: dict[str, Any],
    reading: Reading | None,
    version: DatasetVersion | None,
) -> None:
    Upload.objects.filter(pk=upload.pk).update(
        outcome=outcome,
        format=reading.format if reading else upload.format,
        purpose=reading.dialect.purpose if reading else upload.purpose,
        counts=reading.counts if reading else {},
        version=version,
        dataset=version.dataset if version else None,
        done=upload.total,
    )


def _write(upload: Upload, reading: Reading, lease: Lease) -> None:
    lease.require()
    if reading.dialect.purpose != "dataset":
        _hand_over(upload, reading, lease)
        return
    version, created = _version(upload, reading)
    if created:
        storing.store_records(version, reading.records)
        storing.store_slices(version, reading.slices.kept())
    storing.store_issues(upload, reading.issues())
    outcome = {
        "status": 202 if reading.rejected else 201,
        "created": created,
        "warnings": [*reading.warnings, *([ARCHIVED] if version.dataset.archived_at else [])],
    }
    conclude(upload, outcome, reading, version)
    _end(lease)


def _hand_over(upload: Upload, reading: Reading, lease: Lease) -> None:
    """What is no dataset goes to the chapter that it belongs to."""
    received = purposes.receiver(reading.dialect.purpose)(upload, reading)
    storing.store_issues(upload, reading.issues())
    outcome = {
        "status": 202 if reading.rejected else 201,
        "created": True,
        "told": received.told,
        "address": received.address,
        "warnings": reading.warnings,
    }
    conclude(upload, outcome, reading, received.version)
    _end(lease)


def _end(lease: Lease) -> None:
    if not lease.close():
        raise LeaseLost


def _version(upload: Upload, reading: Reading) -> tuple[DatasetVersion, bool]:
    """The version these bytes are: the one that stands, or a new one."""
    header = reading.header
    name = upload.options.get("dataset_name") or shown_name(header.dataset_id) or "dataset"
    dataset, is_first = Dataset.objects.get_or_create(
        workspace=upload.workspace, name=name, defaults={"owner": upload.created_by}
    )
    label = upload.options.get("label") or shown_name(header.dataset_version)
    standing = _standing(dataset, label, upload, reading)
    if standing is not None:
        return _same_or_conflict(standing, upload, reading), False
    version = DatasetVersion.objects.create(
        dataset=dataset,
        label=label or _next_label(dataset),
        format=reading.format,
        identity=_identity(upload, reading),
        header=header.model_dump(mode="json"),
        records_sha256=reading.records_sha256,
        total=reading.total,
        accepted=len(reading.records),
        rejected=len(reading.rejected),
        created_by=upload.created_by,
    )
    audit(
        workspace=upload.workspace,
        actor=upload.created_by,
        verb="uploaded" if is_first else "uploaded a version",
        obj=version,
        request_id=upload.request_id,
        via=upload.via,  # type: ignore[arg-type]
    )
    return version, True


def _same_or_conflict(standing: DatasetVersion, upload: Upload, reading: Reading) -> DatasetVersion:
    uploaded = _identity(upload, reading)
    if standing.identity == uploaded:
        return standing
    raise Rejected(
        f"{standing.dataset.name} {standing.label} already exists with other content "
        f"({standing.pk}): raise dataset_version.",
        code="conflict",
        status=409,
        details={
            "dataset_id": standing.header["dataset_id"],
            "dataset_version": standing.label,
            "existing_version_id": standing.pk,
            "existing_sha256": standing.identity,
            "uploaded_sha256": uploaded,
        },
    )


def _standing(
    dataset: Dataset, label: str, upload: Upload, reading: Reading
) -> DatasetVersion | None:
    """The version of that label; without a label, the one that these very files are."""
    if label:
        return dataset.versions.filter(label=label).first()
    return dataset.versions.filter(identity=_identity(upload, reading)).first()


def _next_label(dataset: Dataset) -> str:
    taken = set(dataset.versions.values_list("label", flat=True))
    return next(str(n) for n in itertools.count(len(taken) + 1) if str(n) not in taken)


def _identity(upload: Upload, reading: Reading) -> str:
    """What makes two uploads the same version: the hash of the one file that the contract is, or
    of all that was sent and of what it was read as: format, mapping and variables all count."""
    files = list(upload.files.order_by("role", "path").values_list("role", "path", "blob_id"))
    if len(files) == 1 and reading.format == DEFAULT_FORMAT:
        return str(files[0][2])
    main = [blob for role, _path, blob in files if role == UploadFile.Role.MAIN]
    beside = [[path, blob] for role, path, blob in files if role != UploadFile.Role.MAIN]
    return sha256_hex(canonical([main, beside, reading.format, reading.records_sha256]))
