"""Dataset Contract v1: one JSON document with a header and up to 50,000 records.

`document` reads: `outline` walks the top level, `items` finds the records, `judging` decides on
each with `checks`. Under them, `json_text` is the exact JSON reader; `shape` holds the fields.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from apps.datasets.contracts import Header
from apps.datasets.formats.contract_v1 import shape, writing
from apps.datasets.formats.contract_v1.document import Document, Progress
from apps.datasets.formats.contract_v1.json_text import Source

MARKS = (b'"dataset_id"', b'"schema_version"', b'"records"')
LINES = (".jsonl", ".ndjson")


class ContractV1:
    id = "contract_v1"
    title = "Dataset Contract v1"
    media_types: tuple[str, ...] = ("application/json",)
    template_name = "dataset.json"
    template = writing.TEMPLATE

    def detect(self, name: str, head: bytes) -> bool:
        """Whether a file that begins like this is meant to be a document of this format."""
        start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if name.lower().endswith(LINES) or not start.startswith(b"{"):
            return False
        return any(mark in head for mark in MARKS)

    def read(self, raw: Source, *, progress: Progress | None = None) -> Document:
        """The document with its header; raises Rejected, and so does iterating over it."""
        return Document(raw, progress)

    def write(self, header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]:
        return writing.write(header, payloads)

    def json_schema(self) -> dict[str, Any]:
        return shape.json_schema()
