"""Bulk upserts as fast as the driver allows: a worker writes three tables every second.

`bulk_create` prepares every value of every row through its field, which costs more than all the
rest of a record's work; here the conversion of a column is chosen once.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from typing import Any

from django.db import connection, models

RESULT_KEY = ("run", "ordinal", "trial")
ATTEMPT_KEY = (*RESULT_KEY, "purpose", "rule", "call", "number")
SCORE_KEY = ("result", "rule", "judge", "method", "verifier")

PARAMETERS = 30_000
"""SQLite allows 32,766 in a statement, PostgreSQL 65,535."""

Convert = Callable[[Any], Any]


def upsert(rows: Sequence[models.Model], *, key: tuple[str, ...]) -> None:
    """Insert, or overwrite the row with the same key: a second delivery doubles nothing."""
    if not rows:
        return
    model = type(rows[0])
    columns = _columns(model)
    size = PARAMETERS // len(columns)
    with connection.cursor() as cursor:
        for start in range(0, len(rows), size):
            batch = rows[start : start + size]
            values = chain.from_iterable(_values(row, columns) for row in batch)
            cursor.execute(_statement(model, key, len(batch)), list(values))


def _values(row: models.Model, columns: Sequence[tuple[str, str, Convert | None]]) -> list[Any]:
    state = row.__dict__
    return [
        state[attname] if convert is None or state[attname] is None else convert(state[attname])
        for attname, _column, convert in columns
    ]


@cache
def _columns(model: type[models.Model]) -> tuple[tuple[str, str, Convert | None], ...]:
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    return tuple((field.attname, str(field.column), _convert(field)) for field in fields)


def _convert(field: Any) -> Convert | None:
    if isinstance(field, models.JSONField):
        return _json
    if isinstance(field, models.DateTimeField):
        return connection.ops.adapt_datetimefield_value
    return None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _statement(model: type[models.Model], key: tuple[str, ...], rows: int) -> str:
    """The statement; every name in it is a column of ours."""
    quote = connection.ops.quote_name
    columns = [quote(column) for _attname, column, _convert in _columns(model)]
    unique = [quote(str(model._meta.get_field(name).column)) for name in key]  # type: ignore[union-attr]
    changed = ", ".join(f"{name} = EXCLUDED.{name}" for name in columns if name not in unique)
    marks = f"({', '.join(['%s'] * len(columns))})"
    return (
        f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(columns)}) "  # noqa: S608
        f"VALUES {', '.join([marks] * rows)} "
        f"ON CONFLICT ({', '.join(unique)}) DO UPDATE SET {changed}"
    )
