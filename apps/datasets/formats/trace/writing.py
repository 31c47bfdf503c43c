"""Writing traces again: an event a line, or a log a line."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from apps.datasets.contracts import Unfit
from apps.datasets.formats.lines import loads

from .gathering import KIND


def write(payloads: Iterable[bytes]) -> Iterator[bytes]:
    """Raises Unfit for a record that is no trace."""
    for payload in payloads:
        record = loads(payload)
        if record.get("kind") != KIND:
            raise Unfit(f"{record['record_id']} is no trace.")
        row = record["row"]
        for line in row.get("events", [row]):
            yield _line(line)


def _line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
