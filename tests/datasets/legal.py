"""Rows of legal_eval_v1 to test with, and what reading them gives."""

import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from apps.datasets.contracts import AcceptedRecord, Header, Rejected, RejectedRecord
from apps.datasets.formats import FORMATS
from apps.datasets.uploading.bundles import Bundle

FORMAT = FORMATS["legal_eval_v1"]
HEADER = Header(dataset_id="dataset")

MCQ = {
    "task_type": "mcq",
    "choices": [{"id": "A", "text": "Yes"}, {"id": "B", "text": "No"}],
    "correct_choice_ids": ["B"],
}
RUBRIC = {"task_type": "rubric_qa", "rubric": [{"id": "c1", "title": "Names the date"}]}
REFERENCE = {"task_type": "reference_qa", "reference_answers": ["In writing.", "By letter."]}


def row(kind: Mapping[str, Any] = REFERENCE, **fields: Any) -> dict[str, Any]:
    head = {"schema_version": "legal_eval_v1", "id": "q1", "dataset": "tenancy", "prompt": "How?"}
    return {**head, **kind, **fields}


def lines(*rows: Any) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in rows)


def read(
    raw: bytes,
    files: Mapping[str, bytes] | None = None,
    name: str = "dataset.jsonl",
    mapping: Mapping[str, str] | None = None,
) -> list[AcceptedRecord | RejectedRecord]:
    return list(FORMAT.read(Bundle(name, raw, files or {}, mapping or {})))


def accepted(raw: bytes, *args: Any, **options: Any) -> list[AcceptedRecord]:
    found = read(raw, *args, **options)
    assert [one for one in found if isinstance(one, RejectedRecord)] == []
    return [one for one in found if isinstance(one, AcceptedRecord)]


def outcome(raw: bytes) -> list[AcceptedRecord | RejectedRecord] | str:
    """The records, or why there are none."""
    try:
        return read(raw)
    except Rejected as rejected:
        return rejected.message


def written(records: Iterable[AcceptedRecord]) -> bytes:
    return b"".join(FORMAT.write(HEADER, [one.payload for one in records]))


def errors(raw: bytes) -> list[list[str]]:
    """The messages of each record, none where it was accepted."""
    return [
        [issue.message for issue in one.issues] if isinstance(one, RejectedRecord) else []
        for one in read(raw)
    ]


def warnings(record: AcceptedRecord) -> list[tuple[str, str, str]]:
    return [(issue.code, issue.path, issue.message) for issue in record.warnings]


def payload(kind: Mapping[str, Any] = REFERENCE, **fields: Any) -> dict[str, Any]:
    """That of the record of one row, as it is stored."""
    stored: dict[str, Any] = json.loads(accepted(lines(row(kind, **fields)))[0].payload)
    return stored


def pdf(content: bytes, *, deflated: bool = False, pages: int = 1) -> bytes:
    """A PDF whose pages all show one content stream."""
    stream = zlib.compress(content) if deflated else content
    filters = b"/Filter /FlateDecode " if deflated else b""
    kids = b" ".join([b"4 0 R"] * pages)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R "
        b"/Resources << /Font << /F1 3 0 R >> >> >>",
        b"<< %s/Length %d >>\nstream\n%s\nendstream" % (filters, len(stream), stream),
    ]
    return _assembled(objects)


def page(text: bytes) -> bytes:
    return b"BT /F1 12 Tf 72 720 Td (%s) Tj ET" % text


def _assembled(objects: list[bytes]) -> bytes:
    out, offsets = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R >>\n"
        b"startxref\n%d\n%%%%EOF" % (size, table, size, len(out))
    )
