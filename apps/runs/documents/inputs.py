"""What a run was given: the accepted records, and what validation said of every record."""

import heapq
import itertools
from collections.abc import Iterator

import orjson
from django.db.models import Max

from apps.artifacts import lines
from apps.artifacts.redaction import Redactor
from apps.datasets.models import UploadIssue
from apps.runs.models import Run
from apps.runs.walking import walk

from .writing import Row


def input_dataset(run: Run, redactor: Redactor) -> Iterator[bytes]:
    version = run.dataset_version
    header = {key: value for key, value in version.header.items() if value not in (None, {})}
    rows = version.records.values_list("payload", "sha256")
    copies = (
        lines.with_hashes(_copy(orjson.loads(payload), redactor), sha256)
        for payload, sha256 in walk(rows, "ordinal", version.total)
    )
    if "metadata" in header:
        header["metadata"] = redactor.value(header["metadata"])
    return lines.dataset_document(header, copies)


def _copy(payload: Row, redactor: Redactor) -> Row:
    """The record without secrets and personal data; its id stays, the other artifacts name it."""
    return {**redactor.value(payload), "record_id": payload["record_id"]}


def validation(run: Run) -> Iterator[Row]:
    """Every record of the version in its order: accepted, or its errors."""
    yield from merged(_accepted(run), rejected(run))


def merged(first: Iterator[Row], second: Iterator[Row]) -> Iterator[Row]:
    return heapq.merge(first, second, key=lambda row: row["index"])


def rejected(run: Run) -> Iterator[Row]:
    for index, issues in itertools.groupby(_issues(run), key=lambda issue: issue.index):
        errors = [_error(issue) for issue in issues]
        yield {
            "index": index,
            "record_id": errors[0]["record_id"],
            "status": "invalid_record",
            "errors": errors,
        }


def _accepted(run: Run) -> Iterator[Row]:
    fields = run.dataset_version.records.values_list("ordinal", "record_id", "sha256")
    for index, record_id, sha256 in walk(fields, "ordinal", run.dataset_version.total):
        yield {
            "index": index,
            "record_id": record_id,
            "status": "accepted",
            "record_sha256": sha256,
        }


def _issues(run: Run) -> Iterator[UploadIssue]:
    """The issues of the upload that made the version."""
    upload = run.dataset_version.uploads.order_by("created_at", "pk").first()
    if upload is None:
        return iter(())
    found = upload.issues.exclude(index=None)
    last = found.aggregate(last=Max("seq"))["last"]
    return walk(found, "seq", 0 if last is None else last + 1)


def _error(issue: UploadIssue) -> Row:
    return {
        "index": issue.index,
        "record_id": issue.record_id,
        "code": issue.code,
        "message": issue.message,
        "path": issue.path,
        "severity": issue.severity,
    }
