"""Tables as CSV that a spreadsheet opens without running anything in it."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n")
BATCH = 200


class _Line:
    """What csv.writer writes to: it hands the line back."""

    def write(self, line: str) -> str:
        return line


def safe_cell(value: Any) -> Any:
    """The value for a cell; a text that a spreadsheet would take for a formula gets a quote mark.

    https://owasp.org/www-community/attacks/CSV_Injection
    """
    if isinstance(value, str) and value.startswith(DANGEROUS):
        return f"'{value}"
    return "" if value is None else value


def csv_stream(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """The table in pieces of some rows each: never whole in memory."""
    writer = csv.writer(_Line(), lineterminator="\r\n")
    pieces = [writer.writerow(map(safe_cell, header))]
    for row in rows:
        pieces.append(writer.writerow([safe_cell(value) for value in row]))
        if len(pieces) == BATCH:
            yield "".join(pieces)
            pieces.clear()
    yield "".join(pieces)
