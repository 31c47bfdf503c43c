"""Answers files: read before a run is started, kept by their content."""

from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from apps.accounts.models import User, Workspace
from apps.artifacts import store
from apps.artifacts.canonical import canonical, sha256_hex
from apps.artifacts.models import Blob
from apps.datasets.models import DatasetVersion, Upload, UploadFile
from apps.jobs.models import JobState
from apps.targets.adapters import AnswersError, read_answers

MOST_BYTES = 100_000_000


def check_answers(raw: bytes, version: DatasetVersion) -> int:
    """How many records of the version have an answer; ValidationError where none has."""
    try:
        answers = read_answers(raw)
    except AnswersError as error:
        raise ValidationError(str(error)) from None
    known = version.records.values_list("record_id", flat=True)
    answered = sum(record_id in answers for record_id in known.iterator(chunk_size=5_000))
    if not answered:
        raise ValidationError(
            f"No record_id of the file is in {version}: choose the answers of this dataset."
        )
    return answered


def keep_answers(file: Any, *, workspace: Workspace, by: User | None, now: datetime) -> Upload:
    """Store the file once; the same bytes again are the same upload."""
    blob = store.put(file.chunks(), limit=MOST_BYTES)
    identity = sha256_hex(canonical([Upload.Purpose.ANSWERS.value, [["main", blob.sha256]]]))
    kept = Upload.objects.filter(
        workspace=workspace, purpose=Upload.Purpose.ANSWERS, identity=identity
    ).first()
    return kept or _new_upload(file, blob, identity, workspace, by, now)


@transaction.atomic
def _new_upload(
    file: Any,
    blob: Blob,
    identity: str,
    workspace: Workspace,
    by: User | None,
    now: datetime,
) -> Upload:
    """Done from the start: it was read before it was kept, so no worker has to."""
    name = Path(file.name or "").name[:200] or "answers.jsonl"
    upload = Upload.objects.create(
        workspace=workspace,
        purpose=Upload.Purpose.ANSWERS,
        identity=identity,
        name=name,
        state=JobState.DONE,
        finished_at=now,
        done=blob.size,
        total=blob.size,
        created_by=by,
    )
    UploadFile.objects.create(upload=upload, path=name, blob=blob)
    return upload
