"""Query-response pairs: a query, the answer it got, the passages that the answer stands on.

`pair` checks one, `chunks` folds rows of one chunk each, `reading` makes records, `writing`
files. The rows themselves, in CSV, JSON lines or a JSON array, come from `formats.rows`.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from apps.datasets.contracts import Document, Header
from apps.datasets.formats.base import Progress, Purpose
from apps.datasets.formats.rows import names_of
from apps.datasets.uploading.bundles import Bundle

from . import pair, reading, shape, writing


class Pairs:
    id = "pairs"
    title = "Query-response pairs"
    hint = "CSV, JSON lines or a JSON array: queries with the answers they got and their context."
    endings: tuple[str, ...] = (".csv", ".jsonl", ".json")
    media_types: tuple[str, ...] = ("text/csv", "application/x-ndjson", "application/json")
    template_name = "pairs.csv"
    template = writing.TEMPLATE
    purpose: Purpose = "dataset"
    partial = False
    refers_to_files = False
    columns: tuple[str, ...] = pair.FIELDS
    required_columns = pair.NEEDED

    def detect(self, name: str, head: bytes) -> bool:
        """Whether it names a query and an answer, in columns or in keys."""
        names = names_of(name, head)
        return "query" in names and bool(names & {"response", "answer"})

    def read(self, bundle: Bundle, *, progress: Progress | None = None) -> Document:
        return reading.read(bundle, progress)

    def write(self, header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]:
        return writing.write_csv(header, payloads)

    def json_schema(self) -> dict[str, Any]:
        return shape.SCHEMA
