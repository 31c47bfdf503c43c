"""Writing scenarios as lines of JSON, and sessions as the export they came from."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import orjson

from apps.datasets import prompting
from apps.datasets.contracts import Header, Unfit
from apps.datasets.formats.lines import loads

from . import exporting

Row = Mapping[str, Any]


def write(header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]:
    """The rows verbatim; raises Unfit for a record that is neither scenario nor session."""
    records = map(loads, payloads)
    first = next(records, None)
    if first is None:
        return
    kind = prompting.kind_of(first)
    rows = (_row(record, kind) for record in chain([first], records))
    if kind == "session":
        yield from exporting.write(header, rows)
        return
    for row in rows:
        yield _line(row)


def _row(record: Row, kind: str) -> Row:
    found = prompting.kind_of(record)
    if found not in ("scenario", "session") or found != kind:
        raise Unfit(
            f"{record['record_id']} is a {found}: a file of scenarios needs labels, expected "
            "outcomes and a risk class for each."
        )
    row: Row = record["row"]
    return row


def _line(row: Row) -> bytes:
    try:
        return orjson.dumps(row) + b"\n"
    except TypeError:  # an integer of more than 64 bits
        return exporting.compact(row) + b"\n"
