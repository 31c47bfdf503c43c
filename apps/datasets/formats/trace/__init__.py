"""Traces: what an agent really did, as events of telemetry or as a plain log of messages.

`events` checks an envelope, `logs` a log; `reading` makes one record a trace; `opening` gives the
steps of a record again.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from apps.datasets.contracts import Document, Header
from apps.datasets.formats.base import Progress, Purpose
from apps.datasets.formats.decoding import BOM
from apps.datasets.formats.rows import names_of
from apps.datasets.uploading.bundles import Bundle

from . import events, examples, reading, writing

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Event of a trace, or log of a run",
    "type": "object",
    "oneOf": [{"required": list(events.REQUIRED)}, {"required": ["messages"]}],
    "properties": {
        "schema_version": {"const": events.VERSION},
        "event_type": {"type": "string", "minLength": 1, "examples": list(events.CATALOG)},
        "trace_id": {"type": "string", "minLength": 1, "maxLength": 128},
        "payload": {"type": "object", "additionalProperties": {"type": "string"}},
        "redacted_fields": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "scenario_id": {"type": "string"},
        "trial": {"type": "integer"},
        "status": {"type": "string"},
        "messages": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["role"],
                "properties": {
                    "role": {"type": "string", "minLength": 1},
                    "content": {"type": ["string", "array", "null"]},
                    "tool_calls": {"type": ["array", "null"], "items": {"type": "object"}},
                },
            },
        },
    },
}


class Trace:
    id = "trace"
    title = "Traces"
    hint = "JSON lines: events of telemetry, or logs of messages with roles and tool calls."
    endings: tuple[str, ...] = (".jsonl", ".ndjson")
    media_types: tuple[str, ...] = ("application/x-ndjson",)
    template_name = "traces.jsonl"
    template = examples.TEMPLATE
    purpose: Purpose = "traces"
    partial = False
    refers_to_files = False
    columns: tuple[str, ...] = ()
    required_columns = 0

    def detect(self, name: str, head: bytes) -> bool:
        """Whether it holds events of a trace, or messages of a run that it names."""
        if not head.removeprefix(BOM).lstrip().startswith(b"{"):
            return False
        names = names_of(name, head)
        if {"event_type", "trace_id"} <= names:
            return True
        return "messages" in names and ("trace_id" in names or {"scenario_id", "trial"} <= names)

    def read(self, bundle: Bundle, *, progress: Progress | None = None) -> Document:
        return reading.read(bundle, progress)

    def write(self, header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]:
        return writing.write(payloads)

    def json_schema(self) -> dict[str, Any]:
        return SCHEMA
