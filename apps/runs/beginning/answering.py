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
from apps.runs.contracts import PILOT_RECORDS
from apps.targets.adapters import AnswersError, read_answers_file

MOST_BYTES = 100_000_000
ENDINGS = ("", ".jsonl", ".ndjson", ".json")
LISTED = 10


def check_answers(
    raw: bytes,
    version: DatasetVersion,
    *,
    candidate: str = "",
    pilot: bool = False,
    name: str = "",
) -> int:
    """How many records of the version have an answer.

    ValidationError where none has, where a prefilled file leaves out one that is asked, and where
    several candidates are in it and none is named.
    """
    _require_ending(name)
    try:
        found = read_answers_file(raw)
        whose = found.candidate(candidate)
    except AnswersError as error:
        raise ValidationError(str(error)) from None
    answers = found.candidates[whose]
    known = version.records.order_by("ordinal").values_list("record_id", flat=True)
    asked = list(known[:PILOT_RECORDS] if pilot else known)
    answered = sum(record_id in answers for record_id in asked)
    if not answered:
        raise ValidationError(
            f"No record_id of the file is in {version}: choose the answers of this dataset."
        )
    if found.prefilled and answered < len(asked):
        raise ValidationError(_missing([each for each in asked if each not in answers], whose))
    return answered


def keep_answers(
    file: Any,
    *,
    workspace: Workspace,
    by: User | None,
    now: datetime,
    candidate: str = "",
) -> Upload:
    """Store the file once; the same bytes again, and the same candidate, are the same upload."""
    blob = store.put(file.chunks(), limit=MOST_BYTES)
    options = {"candidate": candidate} if candidate else {}
    files = [["main", blob.sha256]]
    identity = sha256_hex(canonical([Upload.Purpose.ANSWERS.value, files, *options.values()]))
    kept = Upload.objects.filter(
        workspace=workspace, purpose=Upload.Purpose.ANSWERS, identity=identity
    ).first()
    return kept or _new_upload(file, blob, identity, options, workspace, by, now)


@transaction.atomic
def _new_upload(
    file: Any,
    blob: Blob,
    identity: str,
    options: dict[str, str],
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
        options=options,
        name=name,
        state=JobState.DONE,
        finished_at=now,
        done=blob.size,
        total=blob.size,
        created_by=by,
    )
    UploadFile.objects.create(upload=upload, path=name, blob=blob)
    return upload


def _require_ending(name: str) -> None:
    ending = Path(name).suffix.lower()
    if ending not in ENDINGS:
        raise ValidationError(f"An answers file ends in .jsonl or .json, not in {ending[:20]}.")


def _missing(record_ids: list[str], candidate: str) -> str:
    """Names the first of them, with the candidate where the file has such."""
    named = [f"{each}:{candidate}" if candidate else each for each in record_ids[:LISTED]]
    more = len(record_ids) - len(named)
    told = ", ".join(named) + (f", … (+{more} more)" if more else "")
    return f"Missing prefilled responses for selected tasks: {told}"
