"""legal_eval_v1: one JSON object a line, graded by rubric, by reference or as multiple choice.

`reading` goes through the lines, `checking` says what is wrong with one, `attaching` finds the
files that it names; `pdf` reads PDFs in a process of its own. `converters` make rows of others'.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from apps.datasets.contracts import Document, Header
from apps.datasets.formats.base import Progress, Purpose
from apps.datasets.formats.legal_eval_v1 import reading, shape, writing
from apps.datasets.uploading.bundles import Bundle

MARK = b'"legal_eval_v1"'
LINES = (".jsonl", ".ndjson")
TASKS = tuple(f'"{name}"'.encode() for name in shape.TASK_TYPES)


class LegalEvalV1:
    id = "legal_eval_v1"
    title = "Legal Eval v1"
    hint = "JSON Lines: questions with a rubric, reference answers or choices."
    endings: tuple[str, ...] = (".jsonl",)
    media_types: tuple[str, ...] = ("application/x-ndjson",)
    template_name = "legal_eval.jsonl"
    template = writing.TEMPLATE
    purpose: Purpose = "dataset"
    partial = False
    refers_to_files = True
    columns: tuple[str, ...] = shape.FIELDS
    required_columns = len(shape.REQUIRED)

    def detect(self, name: str, head: bytes) -> bool:
        """By the schema version, or in a file of lines by a task type."""
        start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        if start not in (b"{", b"["):
            return False
        by_task = name.lower().endswith(LINES) and b'"task_type"' in head
        return MARK in head or (by_task and any(task in head for task in TASKS))

    def read(self, bundle: Bundle, *, progress: Progress | None = None) -> Document:
        return reading.read(bundle, progress)

    def write(self, header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]:
        return writing.write(payloads)

    def json_schema(self) -> dict[str, Any]:
        return shape.json_schema()
