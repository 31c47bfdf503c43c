"""Agent scenarios: what a user says to an agent, and how the agent must behave.

Items in JSON lines, JSON or YAML, or the export of an agent runtime. `document` finds the items,
`scenario` and `session` check one, `summing` counts an export's runs again, `reading` makes
records, `writing` and `exporting` files.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from apps.datasets.contracts import Document, Header
from apps.datasets.formats.base import Progress, Purpose
from apps.datasets.formats.decoding import BOM
from apps.datasets.formats.rows import names_of
from apps.datasets.uploading.bundles import Bundle

from . import document, examples, reading, shape, writing

YAML_ID = re.compile(rb"^(?:\s*-)?\s*scenario_id\s*:", re.MULTILINE)
OF_A_SCENARIO = frozenset(
    ("labels", "user_inputs", "expected_outcomes", "grading_rules", "verifier_outputs")
)
OF_A_TRACE = frozenset(("messages", "event_type"))


class Scenarios:
    id = "scenarios"
    title = "Agent scenarios"
    hint = (
        "JSON lines, JSON or YAML: what a user says to an agent, with expected outcomes and "
        "grading rules; also the export of an agent runtime's sessions."
    )
    endings: tuple[str, ...] = (".jsonl", ".json", *document.YAML)
    media_types: tuple[str, ...] = ("application/x-ndjson", "application/json", "application/yaml")
    template_name = "scenarios.jsonl"
    template = examples.TEMPLATE
    purpose: Purpose = "dataset"
    partial = False
    refers_to_files = False
    columns: tuple[str, ...] = ()
    required_columns = 0

    def detect(self, name: str, head: bytes) -> bool:
        """Whether it names scenarios, or the sessions of an export."""
        if name.lower().endswith(document.YAML):
            return YAML_ID.search(head) is not None
        if head.removeprefix(BOM).lstrip()[:1] not in (b"{", b"["):
            return False
        names = names_of(name, head)
        if "session_count" in names or {"sessions", "dataset_name"} <= names:
            return True
        is_one = "scenario_id" in names and bool(names & OF_A_SCENARIO)
        return is_one and not names & OF_A_TRACE

    def read(self, bundle: Bundle, *, progress: Progress | None = None) -> Document:
        return reading.read(bundle, progress)

    def write(self, header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]:
        return writing.write(header, payloads)

    def json_schema(self) -> dict[str, Any]:
        return shape.SCHEMA
