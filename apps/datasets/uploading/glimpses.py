"""The columns and first rows of a file that was sent, for those who say which column is what."""

from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from apps.artifacts import store
from apps.datasets.contracts import Options, Rejected
from apps.datasets.formats.csv_text import read_table
from apps.datasets.formats.lines import json_lines, loads
from apps.datasets.models import Upload, UploadFile
from apps.datasets.sight import Sight

from . import unpacking
from .bundles import NO_FILES

ROWS = 5
MOST_COLUMNS = 60
CLIPPED = 200
LARGEST_DOCUMENT = 5_000_000
"""Of a JSON document that is read whole for a glimpse."""


class Glimpse(NamedTuple):
    columns: list[str]
    rows: list[list[str]]


NOTHING = Glimpse([], [])


def glimpse(upload: Upload, sight: Sight) -> Glimpse:
    """As far as the main file is CSV, lines of JSON or a JSON list; nothing of any other."""
    main = upload.files.get(role=UploadFile.Role.MAIN)
    options = Options(**upload.options)
    try:
        path = store.path(main.blob_id)
        with unpacking.unpacked(path, main.path, NO_FILES, options) as found:
            rows = _first_rows(found.name, found.file)
    except Rejected:
        return NOTHING
    columns = list(dict.fromkeys(name for row in rows for name in row))[:MOST_COLUMNS]
    return Glimpse(
        columns, [[sight.text(_spelled(row.get(name))) for name in columns] for row in rows]
    )


def _first_rows(name: str, file: Path) -> list[dict[str, Any]]:
    raw = file.read_bytes() if file.stat().st_size <= LARGEST_DOCUMENT else _beginning(file)
    if name.lower().endswith(".csv"):
        return [dict(row.cells) for row in islice(read_table(raw).rows, ROWS)]
    if raw.lstrip().startswith(b"["):
        return _of_list(raw)
    values = (line.value for line in islice(json_lines(raw), ROWS))
    return [value for value in values if isinstance(value, dict)]


def _of_list(raw: bytes) -> list[dict[str, Any]]:
    try:
        values = loads(raw)
    except ValueError:
        return []
    return [value for value in values[:ROWS] if isinstance(value, dict)]


def _beginning(file: Path) -> bytes:
    """So much of a large file that the first rows are in it, cut at the end of a line."""
    with file.open("rb") as content:
        raw = content.read(LARGEST_DOCUMENT)
    return raw[: raw.rfind(b"\n") + 1] or raw


def _spelled(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= CLIPPED else text[: CLIPPED - 1] + "…"
