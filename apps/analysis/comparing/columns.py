"""Rows of the database as numpy's columns: no object of ours a row."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db import connections
from django.db.models import QuerySet

Row = tuple[Any, ...]
Column = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

BATCH = 20_000
NONE = float("nan")


def batches(rows: QuerySet[Any, Any]) -> Iterator[Sequence[Row]]:
    """The rows of a `values_list`, in order, as the driver gives them."""
    sql, parameters = rows.query.sql_with_params()
    with connections[rows.db].cursor() as cursor:
        cursor.execute(sql, parameters)
        while batch := cursor.fetchmany(BATCH):
            yield batch


def joined(parts: Iterable[Sequence[Column]], width: int) -> list[Column]:
    """Whole columns of the columns of each batch; `width` empty ones where there is no batch."""
    found = list(parts)
    if not found:
        return [np.empty(0) for _ in range(width)]
    return [np.concatenate(column) for column in zip(*found, strict=True)]


def integers(batch: Sequence[Row], place: int) -> Integers:
    return np.array([row[place] for row in batch], dtype=np.int64)


def floats(batch: Sequence[Row], place: int) -> Floats:
    """None, and what is not finite, is NaN."""
    return _finite(np.array([row[place] for row in batch], dtype=np.float64))


def numbers(batch: Sequence[Row]) -> Floats:
    """Columns × rows, where all columns are numbers, whole ones exact to 2⁵³; else as `floats`."""
    found = np.fromiter(chain.from_iterable(batch), np.float64, len(batch) * len(batch[0]))
    return _finite(found.reshape(len(batch), -1).T)


def _finite(found: Floats) -> Floats:
    return np.where(np.isfinite(found), found, NONE)


def positions(among: Integers, wanted: Integers) -> tuple[Integers, Integers]:
    """Which of the wanted are among the sorted ones, and where those are."""
    place = np.searchsorted(among, wanted)
    inside = np.flatnonzero(place < len(among))
    inside = inside[among[place[inside]] == wanted[inside]]
    return inside, place[inside].astype(np.int64)


def ratio(numerators: Floats, denominators: Floats) -> Floats:
    """NaN where the denominator is zero."""
    found = np.full(len(numerators), NONE)
    np.divide(numerators, denominators, out=found, where=denominators != 0)
    return found
