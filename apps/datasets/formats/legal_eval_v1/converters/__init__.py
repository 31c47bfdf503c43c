"""Rows of PRBench, APEX v1 and LEXam as rows of legal_eval_v1, with the same ids each time."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from apps.artifacts.canonical import canonical
from apps.datasets.formats.legal_eval_v1.checking import problems_of
from apps.datasets.formats.lines import Line, json_lines
from apps.datasets.uploading.limits import Source

from .apexv1 import apexv1
from .beginning import Inconvertible, Raw, Row
from .lexam import lexam
from .prbench import prbench

__all__ = ["CONVERTERS", "Converted", "Inconvertible", "apexv1", "convert", "lexam", "prbench"]

CONVERTERS: dict[str, Callable[[Raw, int], Row]] = {
    "prbench": prbench,
    "apexv1": apexv1,
    "lexam": lexam,
}


class Converted(NamedTuple):
    """What a line became: a row, or what is wrong with it."""

    line: int
    row: Row | None
    errors: tuple[str, ...] = ()


def convert(raw: Source, source: str) -> Iterator[Converted]:
    """Each line of a file of `source`, a key of CONVERTERS; raises Rejected for no UTF-8."""
    taken: set[str] = set()
    for line in json_lines(raw):
        number = line.place.line or 0
        row, errors = _row(line, source, number)
        if row is not None and row["id"] in taken:
            row, errors = None, ("Duplicate id in merged output.",)
        if row is not None:
            taken.add(row["id"])
        yield Converted(number, row, errors)


def _row(line: Line, source: str, number: int) -> tuple[Row | None, tuple[str, ...]]:
    if line.error:
        return None, (f"JSON parse error: {line.error} (column {line.column})",)
    if not isinstance(line.value, dict):
        return None, ("Row must be a JSON object.",)
    try:
        row = CONVERTERS[source](line.value, number)
        canonical(row)
    except (ValueError, OverflowError) as error:
        return None, (f"Conversion error: {error}",)
    errors = tuple(problem.message for problem in problems_of(row))
    return (None, errors) if errors else (row, ())
