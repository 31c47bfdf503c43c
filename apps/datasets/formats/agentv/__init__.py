"""agentv: cases as YAML suites, JSON lines with a sidecar or CSV, of every era; and results.

`reading` opens a file by its ending, `suites` holds what is said for all cases, `sources` finds
the cases, `judging` decides on each with `cases`, `messages`, `prompts` and `assertions`.
`results` and `scores` read what was answered elsewhere, `feedback` writes what people said of it.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from apps.datasets.contracts import Document, Header
from apps.datasets.formats.agentv import detecting, reading, shape, writing
from apps.datasets.formats.agentv.scores import result_scores
from apps.datasets.formats.agentv.writing import sidecar
from apps.datasets.formats.base import Progress, Purpose
from apps.datasets.uploading.bundles import Bundle

__all__ = ["Agentv", "result_scores", "sidecar"]


class Agentv:
    id = "agentv"
    title = "agentv"
    hint = "Cases as YAML suites, JSON lines with a sidecar, or CSV; and result files."
    endings: tuple[str, ...] = (".jsonl", ".yaml", ".yml", ".csv", ".json")
    media_types: tuple[str, ...] = ("application/x-ndjson", "application/yaml", "text/csv")
    template_name = "dataset.jsonl"
    template = writing.TEMPLATE
    purpose: Purpose = "dataset"
    partial = False
    refers_to_files = True
    columns: tuple[str, ...] = ("input", "id", "criteria", "expected_output", "conversation_id")
    required_columns = 1

    def detect(self, name: str, head: bytes) -> bool:
        return detecting.detected(name, head)

    def read(self, bundle: Bundle, *, progress: Progress | None = None) -> Document:
        """Cases with `resolved` (see docs/formats/agentv.md), or results where the rows are."""
        return reading.read(bundle, progress)

    def write(self, header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]:
        """JSON lines; `sidecar(header)` is what must stand beside them."""
        return writing.write(payloads)

    def sidecar(self, header: Header) -> str:
        return sidecar(header)

    def json_schema(self) -> dict[str, Any]:
        return shape.json_schema()
