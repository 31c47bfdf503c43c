"""Writing pairs: as a CSV that no spreadsheet runs anything of, or as JSON lines."""

from collections.abc import Iterable, Iterator
from typing import Any

from apps.datasets import prompting
from apps.datasets.contracts import Header, Unfit
from apps.datasets.formats.cells import json_text
from apps.datasets.formats.csv_text import SCHEMA_VERSION
from apps.datasets.formats.lines import loads
from apps.datasets.formats.rows import OUR_VERSION, csv_lines

from .pair import FIELDS

COLUMNS = (
    SCHEMA_VERSION,
    *("id", "query", "response", "context", "source", "chunks", "metadata"),
)
Row = dict[str, Any]

_EXAMPLES = (
    (
        "returns-30-days",
        "Can I return a lamp after 30 days?",
        "Yes, with its receipt, within 60 days.",
        '["Unused goods can be returned within 60 days with the receipt."]',
        "helpdesk-v2",
    ),
    (
        "parcel-lost",
        "My parcel has not moved for nine days. What happens next?",
        "We search for it and send it again.",
        '["After seven days without a scan we search.", "A lost parcel is sent again."]',
        "helpdesk-v2",
    ),
    ("sunday-hours", "When is the shop open on Sundays?", "I do not know.", "[]", "helpdesk-v1"),
)
TEMPLATE = b"".join(csv_lines(FIELDS, _EXAMPLES))


def write_csv(header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]:
    """The default file of the format; raises Unfit for a record without an answer."""
    yield from csv_lines(COLUMNS, (_cells(header, _row(payload)) for payload in payloads))


def write_lines(header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]:
    """The same pairs as JSON lines, for programs."""
    for payload in payloads:
        yield json_text(_row(payload)).encode() + b"\n"


def _row(payload: bytes) -> Row:
    record: Row = loads(payload)
    if record.get("kind") == "pair" and "row" in record:
        row: Row = record["row"]
        return row
    return _converted(record)


def _converted(record: Row) -> Row:
    """A record of another kind as a pair: what is asked, and the answer that came with it."""
    response = prompting.answer_of(record)
    if response is None or not response.strip():
        raise Unfit(f"{record['record_id']} came without an answer: a pair needs one.")
    query = _query(record)
    if not query.strip():
        raise Unfit(f"{record['record_id']} asks nothing: a pair needs a query.")
    return {
        "id": record["record_id"],
        "query": query,
        "response": response,
        "context": [],
        "source": "",
    }


def _query(record: Row) -> str:
    """One message as it is; a conversation with who says what."""
    messages = prompting.messages(record)
    if len(messages) == 1:
        return messages[0].content
    return "\n".join(f"{message.role}: {message.content}" for message in messages)


def _cells(header: Header, row: Row) -> list[str]:
    return [
        header.schema_version or OUR_VERSION,
        row["id"],
        row["query"],
        row["response"],
        json_text(row["context"]) or "[]",
        row["source"],
        json_text(row.get("chunks")),
        json_text(row.get("metadata")),
    ]
