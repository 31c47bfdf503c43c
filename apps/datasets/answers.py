"""The bodies that the contract fixes, for API and command line alike."""

from collections.abc import Iterable
from typing import Any

from .contracts import Issue, Rejected
from .models import Upload
from .uploading.reading import Reading

ACCEPTED = "accepted"
ACCEPTED_WITH_ERRORS = "accepted_with_record_errors"
DATASET = "dataset_version_id"
FIELDS = ("index", "record_id", "code", "message", "path", "severity")
WHERE_THERE_IS_ONE = ("line", "hint")
NO_RECORDS = {"total": 0, "accepted": 0, "rejected": 0}

Answer = tuple[int, dict[str, Any]]


def answer_of(upload: Upload) -> Answer:
    """Status and body for an upload that was read; `request_id` is the door's to add."""
    outcome = upload.outcome
    if outcome is None:
        raise ValueError(f"{upload.pk} has not been read yet.")
    if outcome["status"] >= 400:
        return outcome["status"], error_body(
            outcome["code"], outcome["message"], outcome["details"]
        )
    body = accepted_body(
        key=DATASET, pk=upload.version_id, counts=upload.counts, issues=stored_issues(upload)
    )
    return outcome["status"], body


def whole_answer_of(upload: Upload) -> Answer:
    """The same with all that is known: counts, errors and warnings of a refusal too."""
    status, body = answer_of(upload)
    warnings = [_about_the_document(text) for text in (upload.outcome or {}).get("warnings", ())]
    return status, {
        **_report(upload.counts, stored_issues(upload)),
        **body,
        "warnings": [*warnings, *stored_issues(upload, "warning")],
    }


def answer_to(reading: Reading, *, valid_only: bool = False) -> Answer:
    """The answer that a document would get, without keeping it."""
    issues = [issue_body(issue) for record in reading.rejected for issue in record.issues]
    warnings = [
        *map(_about_the_document, reading.warnings),
        *(issue_body(issue) for issue in reading.noted),
    ]
    try:
        reading.refuse_if_unfit(valid_only=valid_only)
    except Rejected as rejected:
        status, body = refused(rejected)
        return status, {**body, **_report(reading.counts, issues), "warnings": warnings}
    body = accepted_body(key=DATASET, pk=None, counts=reading.counts, issues=issues)
    return (202 if reading.rejected else 201), {**body, "warnings": warnings}


def refused(rejected: Rejected) -> Answer:
    """Of a document that could not be read at all: no record is known."""
    body = error_body(rejected.code, rejected.message, rejected.details)
    return rejected.status, {**body, **_report(NO_RECORDS, []), "warnings": []}


def accepted_body(
    *, key: str, pk: str | None, counts: dict[str, Any], issues: Iterable[dict[str, Any]]
) -> dict[str, Any]:
    """`key` says whose id it is: `run_id` of a run, `dataset_version_id` of a dataset."""
    return {
        key: pk,
        "status": ACCEPTED_WITH_ERRORS if counts["rejected"] else ACCEPTED,
        **_report(counts, issues),
    }


def error_body(code: str, message: str, details: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "details": details}}


def issue_body(issue: Issue) -> dict[str, Any]:
    """One entry of `record_errors[]`; its line and a hint only where there are such."""
    return _spelled({name: getattr(issue, name) for name in (*FIELDS, *WHERE_THERE_IS_ONE)})


def stored_issues(upload: Upload, severity: str = "error") -> list[dict[str, Any]]:
    found = upload.issues.filter(severity=severity).order_by("seq")
    return [_spelled(issue) for issue in found.values(*FIELDS, *WHERE_THERE_IS_ONE)]


def _report(counts: dict[str, Any], issues: Iterable[dict[str, Any]]) -> dict[str, Any]:
    known = counts or NO_RECORDS
    return {
        "summary": {
            "total_records": known["total"],
            "accepted_records": known["accepted"],
            "rejected_records": known["rejected"],
        },
        "record_errors": list(issues),
    }


def _spelled(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value for name, value in fields.items() if value or name not in WHERE_THERE_IS_ONE
    }


def _about_the_document(text: str) -> dict[str, Any]:
    return {
        "index": None,
        "record_id": None,
        "code": "document",
        "message": text,
        "path": "",
        "severity": "warning",
    }
