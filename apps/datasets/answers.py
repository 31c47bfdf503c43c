"""The bodies that the contract fixes, for API and command line alike."""

from collections.abc import Iterable
from typing import Any

from .contracts import Issue, Rejected
from .models import Upload
from .reading import Reading

ACCEPTED = "accepted"
ACCEPTED_WITH_ERRORS = "accepted_with_record_errors"
DATASET = "dataset_version_id"
FIELDS = ("index", "record_id", "code", "message", "path", "severity")

Answer = tuple[int, dict[str, Any]]


def answer_of(upload: Upload) -> Answer:
    """Status and body for an upload that was read; `request_id` is the door's to add."""
    outcome = upload.outcome
    if outcome is None:
        raise ValueError(f"{upload.pk} has not been read yet.")
    if not upload.version_id:
        return outcome["status"], error_body(
            outcome["code"], outcome["message"], outcome["details"]
        )
    body = accepted_body(
        key=DATASET, pk=upload.version_id, counts=upload.counts, issues=stored_issues(upload)
    )
    return outcome["status"], body


def answer_to(reading: Reading) -> Answer:
    """The answer that a document would get, without keeping it."""
    try:
        reading.refuse_if_unfit()
    except Rejected as rejected:
        return refused(rejected)
    issues = [issue_body(issue) for record in reading.rejected for issue in record.issues]
    body = accepted_body(key=DATASET, pk=None, counts=reading.counts, issues=issues)
    return (202 if reading.rejected else 201), body


def refused(rejected: Rejected) -> Answer:
    return rejected.status, error_body(rejected.code, rejected.message, rejected.details)


def accepted_body(
    *, key: str, pk: str | None, counts: dict[str, Any], issues: Iterable[dict[str, Any]]
) -> dict[str, Any]:
    """`key` says whose id it is: `run_id` of a run, `dataset_version_id` of a dataset."""
    return {
        key: pk,
        "status": ACCEPTED_WITH_ERRORS if counts["rejected"] else ACCEPTED,
        "summary": {
            "total_records": counts["total"],
            "accepted_records": counts["accepted"],
            "rejected_records": counts["rejected"],
        },
        "record_errors": list(issues),
    }


def error_body(code: str, message: str, details: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "details": details}}


def issue_body(issue: Issue) -> dict[str, Any]:
    """One entry of `record_errors[]`: its fields are fixed."""
    return {name: getattr(issue, name) for name in FIELDS}


def stored_issues(upload: Upload) -> list[dict[str, Any]]:
    return list(upload.issues.order_by("seq").values(*FIELDS))
