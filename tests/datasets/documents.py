"""Documents of Dataset Contract v1 for tests, good and bad."""

import json
from collections.abc import Iterator
from typing import Any

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion, Upload
from apps.datasets.uploading import uploads


def record(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "record_id": f"q_{number:04d}",
        "input": {"prompt": f"Question {number}: what is overfitting?"},
        "reference": {"answer": "Overfitting is when…"},
        "tags": ["even" if number % 2 == 0 else "odd", "ml"],
        **changes,
    }


def bad_record(number: int) -> dict[str, Any]:
    return record(number, input={"prompt": 5})


def document(*records: Any, **changes: Any) -> bytes:
    header = {"dataset_id": "qa", "dataset_version": "1", "schema_version": "1.0"}
    held = list(records) or [record(0), record(1), record(2)]
    return json.dumps({**header, "records": held, **changes}).encode()


def in_blocks(content: bytes, size: int = 1 << 20) -> Iterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


def accepted(
    workspace: Workspace, content: bytes | None = None, by: User | None = None, **more: Any
) -> Upload:
    """An upload as the API makes it, validated in this process."""
    return uploads.accept_document(
        workspace=workspace,
        chunks=in_blocks(content or document()),
        filename="qa.json",
        by=by,
        **more,
    )


def a_version(
    workspace: Workspace, content: bytes | None = None, by: User | None = None
) -> DatasetVersion:
    version = accepted(workspace, content, by).version
    assert version is not None
    return version
