"""Documents of Dataset Contract v1 to test with, and what reading them gives."""

import json
from collections.abc import Iterable
from typing import Any

from apps.datasets.contracts import AcceptedRecord, Document, Issue, RejectedRecord
from apps.datasets.formats import FORMATS
from apps.datasets.uploading.bundles import Bundle
from apps.datasets.uploading.limits import Source

FORMAT = FORMATS["contract_v1"]

HEADER = {"dataset_id": "questions", "dataset_version": "1", "schema_version": "1.0"}


def opened(raw: Source) -> Document:
    return FORMAT.read(Bundle("dataset.json", raw))


def record(record_id: str = "q1", prompt: str = "Why?", **fields: Any) -> dict[str, Any]:
    return {"record_id": record_id, "input": {"prompt": prompt}, **fields}


def document(*records: Any, **fields: Any) -> bytes:
    return json.dumps({**HEADER, **fields, "records": list(records)}).encode()


def raw_document(*records: str) -> bytes:
    """A document whose records are given as JSON text."""
    return json.dumps(HEADER).encode()[:-1] + b', "records": [%b]}' % ",".join(records).encode()


def read(raw: bytes) -> list[AcceptedRecord | RejectedRecord]:
    return list(opened(raw))


def accepted(raw: bytes) -> list[AcceptedRecord]:
    return [found for found in read(raw) if isinstance(found, AcceptedRecord)]


def rejected(raw: bytes) -> list[RejectedRecord]:
    return [found for found in read(raw) if isinstance(found, RejectedRecord)]


def issues(raw: bytes) -> list[Issue]:
    return [issue for found in rejected(raw) for issue in found.issues]


def said(found: Iterable[Issue]) -> list[tuple[str, str, str]]:
    return [(issue.code, issue.path, issue.message) for issue in found]
