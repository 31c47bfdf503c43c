"""agentv files to test with, and what reading them gives."""

import json
from collections.abc import Mapping
from typing import Any

from apps.datasets.contracts import AcceptedRecord, Document, Issue, RejectedRecord
from apps.datasets.formats import FORMATS
from apps.datasets.uploading.bundles import NO_FILES, Bundle, Files

FORMAT = FORMATS["agentv"]
SIDECAR = {"dataset.yaml": b"dataset: support\n"}
FIRST = {
    "id": "a",
    "expected_outcome": "Is kind.",
    "input_messages": [{"role": "user", "content": "Hello?"}],
}
"""A case as the first era wrote it."""


def lines(*rows: Any) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def case(case_id: str = "a", **fields: Any) -> dict[str, Any]:
    return {"id": case_id, "criteria": "Is kind.", "input": "Hello?", **fields}


def opened(
    raw: bytes,
    name: str = "dataset.jsonl",
    files: Files = NO_FILES,
    *,
    variables: Mapping[str, str] | None = None,
    mapping: Mapping[str, str] | None = None,
) -> Document:
    return FORMAT.read(Bundle(name, raw, files, mapping or {}, variables or {}))


def accepted(*given: Any, **named: Any) -> list[AcceptedRecord]:
    return [one for one in opened(*given, **named) if isinstance(one, AcceptedRecord)]


def rejected(*given: Any, **named: Any) -> list[RejectedRecord]:
    return [one for one in opened(*given, **named) if isinstance(one, RejectedRecord)]


def issues(*given: Any, **named: Any) -> list[Issue]:
    return [issue for one in rejected(*given, **named) for issue in one.issues]


def resolved(*given: Any, **named: Any) -> dict[str, Any]:
    """What reading added to the one record of a file."""
    (record,) = accepted(*given, **named)
    found: dict[str, Any] = json.loads(record.payload)["resolved"]
    return found


def warnings(*given: Any, **named: Any) -> list[str]:
    return [issue.message for one in accepted(*given, **named) for issue in one.warnings]


def told(document: Document) -> list[str]:
    """The document's warnings, complete once its records have been gone through."""
    list(document)
    return document.warnings
