"""CSV files: each row by its columns, with the line and the bytes that it stands in."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from apps.datasets.contracts import Rejected
from apps.datasets.uploading.limits import MAX_RECORD_BYTES, MAX_RECORDS, Source
from apps.web.csv import DANGEROUS

from .base import Progress
from .building import Place, clean
from .decoding import require_utf8

SCHEMA_VERSION = "schema_version"
"""The column that marks our own exports: there, and only there, the guard is taken off again."""

GUARD = "'"

REPORT_EVERY = 500
MOST_COLUMNS = 1_000

csv.field_size_limit(MAX_RECORD_BYTES)


class Row(NamedTuple):
    """One row; `error` says why it cannot be read as the header promises."""

    place: Place
    cells: dict[str, str]
    error: str = ""


class Table(NamedTuple):
    columns: tuple[str, ...]
    rows: Iterator[Row]


def read_table(raw: Source, progress: Progress | None = None) -> Table:
    """The header and the rows; raises Rejected for no UTF-8, no header, repeated columns."""
    lines = _Lines(raw, require_utf8(raw), progress)
    reader = csv.reader(lines, strict=True)
    header = _header(reader)
    return Table(header, _rows(reader, lines, header))


def columns_of(head: bytes) -> tuple[str, ...]:
    """The columns that the beginning of a file names; nothing where it names none."""
    first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]
    try:
        return tuple(next(csv.reader([first.decode().rstrip("\r")], strict=True), ()))
    except (csv.Error, UnicodeDecodeError):
        return ()


def renamed(cells: Mapping[str, str], mapping: Mapping[str, str]) -> dict[str, str]:
    """The cells by the names of the format's fields, where a mapping says how they are called."""
    if not mapping:
        return dict(cells)
    taken = set(mapping.values())
    kept = {name: text for name, text in cells.items() if name not in taken}
    return {
        **kept,
        **{field: cells[column] for field, column in mapping.items() if column in cells},
    }


def unguarded(cells: Mapping[str, str]) -> dict[str, str]:
    """The cells of one of our own exports as they were before they were made safe to open."""
    return {name: _without_guard(text) for name, text in cells.items()}


def guarded(text: str) -> str:
    """A cell that no spreadsheet takes for a formula; `unguarded` gives back the text."""
    inner = text.lstrip(GUARD)
    return GUARD + text if inner.startswith(DANGEROUS) else text


def _without_guard(text: str) -> str:
    guarded_text = text.startswith(GUARD) and text.lstrip(GUARD).startswith(DANGEROUS)
    return text[1:] if guarded_text else text


class _Lines(Iterator[str]):
    """The lines of the file as text; `at` is where the next one begins, `number` how many went."""

    def __init__(self, raw: Source, at: int, progress: Progress | None) -> None:
        self._raw = raw
        self._progress = progress
        self.at = at
        self.number = 0

    def __next__(self) -> str:
        start, size = self.at, len(self._raw)
        if start >= size:
            if self._progress:
                self._progress(size, size)
            raise StopIteration
        found = self._raw.find(b"\n", start)
        end = size if found < 0 else found + 1
        if end - start > MAX_RECORD_BYTES:
            raise Rejected(f"Line {self.number + 1} is longer than {MAX_RECORD_BYTES:,} bytes.")
        self.at = end
        self.number += 1
        if self._progress and self.number % REPORT_EVERY == 0:
            self._progress(end, size)
        return bytes(self._raw[start:end]).decode()


def _header(reader: Iterator[list[str]]) -> tuple[str, ...]:
    try:
        header = tuple(name.strip() for name in next(reader, []))
    except csv.Error as error:
        raise Rejected(f"The header cannot be read as CSV: {error}.") from None
    if not any(header):
        raise Rejected("The first line must name the columns.")
    if len(header) > MOST_COLUMNS:
        raise Rejected(f"The file has {len(header):,} columns: at most {MOST_COLUMNS:,} are read.")
    repeated = next((name for name in header if header.count(name) > 1), None)
    if repeated is not None:
        raise Rejected(f"The column {clean(repeated)[:100]} is there twice.")
    return header


def _rows(reader: Iterator[list[str]], lines: _Lines, header: Sequence[str]) -> Iterator[Row]:
    index = 0
    while True:
        start, line = lines.at, lines.number + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise Rejected(f"The row of line {line} cannot be read as CSV: {error}.") from None
        if not any(cells):
            continue
        if index == MAX_RECORDS:
            raise Rejected(f"The file has more than {MAX_RECORDS:,} records.")
        yield _row(Place(index, start, lines.at - start, line), cells, header)
        index += 1


def _row(place: Place, cells: list[str], header: Sequence[str]) -> Row:
    named = dict(zip(header, cells, strict=False))
    if len(cells) == len(header):
        return Row(place, named)
    return Row(place, named, f"The row has {len(cells)} cells, the header {len(header)} columns.")
