"""The files of an export: tables that no spreadsheet runs anything of, JSON lines, a sidecar."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import orjson

from apps.artifacts import bundles, lines
from apps.artifacts.models import Bundle, Tier
from apps.artifacts.redaction import Redactor
from apps.datasets.formats.rows import csv_lines

Row = dict[str, Any]


class Files:
    """Writes into one bundle, and counts the rows of each file.

    Files with texts of answers are raw and leave with them; labels alone stay with the summaries.
    """

    def __init__(self, bundle: Bundle, redactor: Redactor) -> None:
        self.rows: dict[str, int] = {}
        self._bundle = bundle
        self._redactor = redactor

    def table(self, name: str, columns: Iterable[str], rows: Iterable[Row], *, tier: Tier) -> None:
        named = tuple(columns)
        cells = ([_cell(row.get(column)) for column in named] for row in self._counted(name, rows))
        self._write(name, csv_lines(named, cells), tier, lambda: self.rows[name])

    def lines(self, name: str, rows: Iterable[Row], *, tier: Tier) -> None:
        chunks = map(lines.json_line, self._counted(name, rows))
        self._write(name, chunks, tier, lambda: self.rows[name])

    def document(self, name: str, make: Callable[[], Row]) -> None:
        """Made while it is written, when the other files have been."""
        self._write(name, _pretty(make), Tier.SUMMARY)

    def _counted(self, name: str, rows: Iterable[Row]) -> Iterator[Row]:
        self.rows[name] = 0
        for row in rows:
            self.rows[name] += 1
            yield row

    def _write(
        self, name: str, chunks: Iterable[bytes], tier: Tier, rows: Callable[[], int] | None = None
    ) -> None:
        self._redactor.counts.clear()
        bundles.write_artifact(
            self._bundle,
            name,
            chunks,
            tier=tier,
            rows=rows,
            redactions=self._redactor.counts,
            supersede=True,
        )


def _pretty(make: Callable[[], Row]) -> Iterator[bytes]:
    yield orjson.dumps(make(), option=orjson.OPT_INDENT_2) + b"\n"


def _cell(value: Any) -> str:
    """true, false, the text or the number; empty for none; JSON for what has parts."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return orjson.dumps(value).decode()
