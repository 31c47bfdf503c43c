"""The one transaction that ends an upload: a version with its records, or the report alone."""

from typing import Any

from django.db import IntegrityError, transaction

from apps.accounts.services import record as audit
from apps.artifacts.canonical import canonical, sha256_hex
from apps.jobs.leases import Lease, LeaseLost

from . import storing
from .contracts import Rejected
from .models import Dataset, DatasetVersion, Upload
from .reading import Reading

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
            storing.store_issues(upload, reading.rejected)
        conclude(upload, refusal(rejected, reading), reading, None)
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
        counts=reading.counts if reading else {},
        version=version,
        dataset=version.dataset if version else None,
        done=upload.total,
    )


def _write(upload: Upload, reading: Reading, lease: Lease) -> None:
    lease.require()
    version, created = _version(upload, reading)
    if created:
        storing.store_records(version, reading.records)
        storing.store_slices(version, reading.slices.kept())
    storing.store_issues(upload, reading.rejected)
    outcome = {
        "status": 202 if reading.rejected else 201,
        "created": created,
        "warnings": [*reading.warnings, *([ARCHIVED] if version.dataset.archived_at else [])],
    }
    conclude(upload, outcome, reading, version)
    _end(lease)


def _end(lease: Lease) -> None:
    if not lease.close():
        raise LeaseLost


def _version(upload: Upload, reading: Reading) -> tuple[DatasetVersion, bool]:
    """The version these bytes are: the one that stands, or a new one."""
    header = reading.header
    name = upload.options.get("dataset_name") or header.dataset_id
    dataset, is_first = Dataset.objects.get_or_create(
        workspace=upload.workspace, name=name, defaults={"owner": upload.created_by}
    )
    standing = dataset.versions.filter(label=header.dataset_version).first()
    if standing is not None:
        return _same_or_conflict(standing, upload), False
    version = DatasetVersion.objects.create(
        dataset=dataset,
        label=header.dataset_version,
        format=reading.format,
        identity=_identity(upload),
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


def _same_or_conflict(standing: DatasetVersion, upload: Upload) -> DatasetVersion:
    uploaded = _identity(upload)
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


def _identity(upload: Upload) -> str:
    """What makes two uploads the same version: the hash of the file, or of all of a bundle."""
    files = upload.files.order_by("role", "path").values_list("role", "blob_id")
    hashes = [list(file) for file in files]
    return str(hashes[0][1]) if len(hashes) == 1 else sha256_hex(canonical(hashes))
