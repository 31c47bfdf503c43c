"""Files of pairs, labels and scores for tests: written here, like those that people send."""

import csv
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from apps.accounts.models import User, Workspace
from apps.datasets.contracts import AcceptedRecord, Document, Options, RejectedRecord
from apps.datasets.formats import FORMATS
from apps.datasets.models import DatasetVersion, Upload
from apps.datasets.uploading import uploads
from apps.datasets.uploading.bundles import Bundle

CHECKOUT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")

PAIR_COLUMNS = ("id", "query", "response", "context", "source")
LABEL_COLUMNS = ("id", "task_type", "label", "annotator_id", "annotated_at")
SCORE_COLUMNS = ("id", "metric_family", "score", "method")

Row = dict[str, Any]


def real(path: str) -> Path:
    """A real file of the shared folder; the test is skipped where it is absent."""
    file = SHARED / "data" / path
    if not file.is_file():
        pytest.skip(f"{file.name} is not here: set EVALHUB_SHARED to the shared folder")
    return file


def a_pair(number: int = 0, **changes: Any) -> Row:
    return {
        "id": f"p{number}",
        "query": f"Can I return lamp {number}?",
        "response": "Yes, within 60 days.",
        "context": ["Unused goods can be returned within 60 days."],
        "source": "helpdesk",
        **changes,
    }


def csv_of(columns: Sequence[str], rows: Sequence[Row | Sequence[Any]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        cells = [row.get(name, "") for name in columns] if isinstance(row, dict) else row
        writer.writerow([_cell(cell) for cell in cells])
    return out.getvalue().encode()


def pairs_csv(*rows: Row) -> bytes:
    return csv_of(PAIR_COLUMNS, rows or [a_pair(0), a_pair(1), a_pair(2)])


def lines_of(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def opened(format_id: str, raw: bytes, name: str = "", **bundle: Any) -> Document:
    return FORMATS[format_id].read(Bundle(name or f"{format_id}.csv", raw, **bundle))


def accepted(format_id: str, raw: bytes, name: str = "", **bundle: Any) -> list[AcceptedRecord]:
    found = list(opened(format_id, raw, name, **bundle))
    wrong = [record for record in found if isinstance(record, RejectedRecord)]
    assert not wrong, wrong[0].issues
    return [record for record in found if isinstance(record, AcceptedRecord)]


def rows(format_id: str, raw: bytes, name: str = "", **bundle: Any) -> list[Row]:
    return [json.loads(one.payload)["row"] for one in accepted(format_id, raw, name, **bundle)]


def problems(format_id: str, raw: bytes, name: str = "") -> list[tuple[int | None, str, str]]:
    """Line, code and path of every issue."""
    return [
        (issue.line, issue.code, issue.path)
        for record in opened(format_id, raw, name)
        if isinstance(record, RejectedRecord)
        for issue in record.issues
    ]


def written(format_id: str, raw: bytes, name: str = "") -> bytes:
    document = opened(format_id, raw, name)
    payloads = [one.payload for one in document if isinstance(one, AcceptedRecord)]
    return b"".join(FORMATS[format_id].write(document.header, payloads))


def uploaded(
    workspace: Workspace, raw: bytes, name: str, by: User | None = None, **options: Any
) -> Upload:
    """An upload of any kind, read in this process; `outcome` says what became of it."""
    return uploads.accept_document(
        workspace=workspace, chunks=[raw], filename=name, by=by, options=Options(**options)
    )


def pairs_version(
    workspace: Workspace, raw: bytes | None = None, name: str = "pairs.csv"
) -> DatasetVersion:
    upload = uploaded(workspace, raw or pairs_csv(), name)
    assert upload.version is not None, upload.outcome
    return upload.version


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value
