"""Dataset Contract v1: one JSON document with a header and up to 50,000 records.

`document` reads: `outline` walks the top level, `items` finds the records, `judging` decides on
each with `checks`. Under them, `json_text` is the exact JSON reader; `shape` holds the fields.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from apps.datasets import contracts
from apps.datasets.contracts import Header
from apps.datasets.formats.base import Progress, Purpose
from apps.datasets.formats.contract_v1 import shape, writing
from apps.datasets.formats.contract_v1.document import Document
from apps.datasets.uploading.bundles import Bundle

MARKS = (b'"dataset_id"', b'"records"')
LINES = (".jsonl", ".ndjson")


class ContractV1:
    id = "contract_v1"
    title = "Dataset Contract v1"
    hint = "One JSON document: prompts with references, tags and expectations."
    endings: tuple[str, ...] = (".json",)
    media_types: tuple[str, ...] = ("application/json",)
    template_name = "dataset.json"
    template = writing.TEMPLATE
    purpose: Purpose = "dataset"
    partial = True
    refers_to_files = False
    columns: tuple[str, ...] = ()
    required_columns = 0

    def detect(self, name: str, head: bytes) -> bool:
        """Whether a file that begins like this is meant to be a document of this format."""
        start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if name.lower().endswith(LINES) or not start.startswith(b"{"):
            return False
        return any(mark in head for mark in MARKS)

    def read(self, bundle: Bundle, *, progress: Progress | None = None) -> contracts.Document:
        document = Document(bundle.raw, progress)
        warnings: list[str] = []
        return contracts.Document(document.header, _told(document, warnings), warnings)

    def write(self, header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]:
        return writing.write(header, payloads)

    def json_schema(self) -> dict[str, Any]:
        return shape.json_schema()


def _told(
    document: Document, warnings: list[str]
) -> Iterator[contracts.AcceptedRecord | contracts.RejectedRecord]:
    yield from document
    warnings += document.warnings
