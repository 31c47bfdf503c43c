"""How artifacts are laid out: a row a line, in JSON; pure."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from .canonical import canonical, is_finite, sha256_hex

RECORD_SHA256 = "record_sha256"
COPY_SHA256 = "copy_sha256"

Row = dict[str, Any]


def json_line(value: Any) -> bytes:
    """The value on one line, in UTF-8; NaN and Infinity are a ValueError."""
    try:
        line = orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # an integer over 64 bits, or an unpaired surrogate as an answer may hold one
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode() + b"\n"
    if b"null" in line and not is_finite(value):  # orjson writes NaN as null
        raise ValueError("NaN and infinity are not JSON")
    return line


def dataset_document(header: Row, records: Iterable[Row]) -> Iterator[bytes]:
    """A document with `records`, one a line, so that nobody has to hold it whole."""
    yield json_line({**header, "records": []}).removesuffix(b"]}\n") + b"\n"
    before = b""
    for record in records:
        yield before + json_line(record).rstrip(b"\n")
        before = b",\n"
    yield b"\n]}\n"


def with_hashes(copy: Row, record_sha256: str) -> Row:
    """The record's copy with the hash of what was accepted.

    A copy that redaction changed also carries `copy_sha256`, the hash of itself: that is what a
    reader of the artifact can recompute.
    """
    own = payload_sha256(copy)
    changed = {COPY_SHA256: own} if own != record_sha256 else {}
    return {**copy, RECORD_SHA256: record_sha256, **changed}


def payload_sha256(row: Row) -> str:
    """The hash of a record without the hashes that it carries."""
    payload = {key: value for key, value in row.items() if key not in (RECORD_SHA256, COPY_SHA256)}
    return sha256_hex(canonical(payload))


def expected_sha256(row: Row) -> str:
    return str(row.get(COPY_SHA256, row[RECORD_SHA256]))


def rows(file: Path) -> Iterator[Row]:
    """The objects of a JSON Lines file, or the records of a document."""
    found = False
    with file.open("rb") as lines:
        for line in lines:
            for row in _objects(line):
                found = True
                yield row
    if not found:
        yield from _objects(file.read_bytes())


def _objects(text: bytes) -> Iterator[Row]:
    try:
        value = json.loads(text.strip().rstrip(b","))
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict):
        records = value.get("records")
        yield from (
            (row for row in records if isinstance(row, dict))
            if isinstance(records, list)
            else (value,)
        )
