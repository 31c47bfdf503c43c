"""The fields around the records: what a document says of itself."""

from datetime import datetime
from typing import Any

from apps.datasets.contracts import Header, Rejected
from apps.datasets.formats.contract_v1 import limits, shape
from apps.datasets.formats.contract_v1.checks import (
    Problem,
    Problems,
    check_fields,
    check_metadata,
    check_oddities,
)


def require_known(key: str) -> None:
    if key not in shape.HEADER_FIELDS | {"records"}:
        problem = Problem("unsupported_field", (key,), "is not a field of this format", "")
        raise _rejected([problem])


def checked_header(fields: dict[str, Any], *, has_records: bool) -> Header:
    """The header, or Rejected with every problem in its details."""
    problems = Problems(limits.LISTED_PER_RECORD)
    check_oddities(fields, problems)
    check_metadata(fields.get("metadata"), limits.MAX_DOCUMENT_METADATA_BYTES, problems)
    check_fields(shape.HEADER, fields, problems)
    if not has_records:
        problems.add("missing_required_field", ("records",), "is required")
    if not problems.count:
        _check_created_at(fields.get("created_at"), problems)
    if problems.count:
        raise _rejected(problems.listed)
    return Header(**fields)


def _check_created_at(created_at: str | None, problems: Problems) -> None:
    """The pattern of the field cannot tell that there is no 30 February."""
    if created_at is None:
        return
    try:
        datetime.fromisoformat(created_at)
    except ValueError:
        problems.add("value_out_of_range", ("created_at",), "is no such day or time", created_at)


def _rejected(problems: list[Problem]) -> Rejected:
    message = "; ".join(problem.message for problem in problems[:5])
    errors = [
        {"code": problem.code, "message": problem.message, "path": problem.place}
        for problem in problems
    ]
    return Rejected(f"{message}.", details={"errors": errors})
