"""Walking through many rows without a cursor that stays open.

On SQLite an open cursor is a snapshot: a write of the same connection after another process wrote
fails at once. So rows are fetched by windows of a key, each whole before it is used.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from django.db.models import Model, QuerySet

WINDOW = 500

Stored = TypeVar("Stored", bound=Model)
Row = TypeVar("Row")
Thing = TypeVar("Thing")


def walk(rows: "QuerySet[Stored, Row]", key: str, stop: int) -> Iterator[Row]:
    """The rows in the order of an integer key from 0 up to `stop`, then in the order given."""
    for window in windows(rows, key, stop):
        yield from window


def windows(rows: "QuerySet[Stored, Row]", key: str, stop: int) -> Iterator[list[Row]]:
    order = [key, *(name for name in rows.query.order_by if name != key)]
    for start in range(0, stop, WINDOW):
        within = {f"{key}__gte": start, f"{key}__lt": start + WINDOW}
        yield list(rows.filter(**within).order_by(*order))


def batches(things: Iterable[Thing]) -> Iterator[list[Thing]]:
    iterator = iter(things)
    while batch := list(islice(iterator, WINDOW)):
        yield batch
