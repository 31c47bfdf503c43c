"""Keyset paging: a page is found by the values of its edge, not by counting rows before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import reduce
from typing import Any, Generic, Literal, NamedTuple, TypeVar, cast

from django.core import signing
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q

Row = TypeVar("Row", bound=models.Model)
Way = Literal["older", "newer"]


@dataclass(frozen=True)
class Page(Generic[Row]):
    """The rows and the cursors of its neighbours; None at an end."""

    items: list[Row]
    older: str | None
    newer: str | None


class _Edge(NamedTuple):
    way: Way
    values: tuple[Any, ...]


def keyset(
    queryset: models.QuerySet[Row],
    order: Sequence[str] = ("-created_at", "-pk"),
    cursor: str | None = None,
    size: int = 50,
) -> Page[Row]:
    """One page in `order`: fields or annotations, never null (Coalesce), the last one unique.

    A cursor that we did not sign for this order, or cannot read, gives the first page.
    """
    edge = _read(queryset, order, cursor)
    backwards = edge is not None and edge.way == "newer"
    direction = [_reversed(term) for term in order] if backwards else list(order)
    rows = queryset.order_by(*direction)
    found = list((rows.filter(_beyond(direction, edge.values)) if edge else rows)[: size + 1])
    more, items = len(found) > size, found[:size]
    if backwards:
        items.reverse()
    has_older = more or backwards
    has_newer = more if backwards else edge is not None
    return Page(
        items,
        older=_write("older", order, items[-1]) if items and has_older else None,
        newer=_write("newer", order, items[0]) if items and has_newer else None,
    )


def _beyond(order: Sequence[str], values: Sequence[Any]) -> Q:
    """After these values in this order; the first bound stands alone so that an index serves it."""
    step = reduce(
        lambda later, term: _after(*term) | (Q(**{term[0].lstrip("-"): term[1]}) & later),
        reversed(list(zip(order[:-1], values[:-1], strict=True))),
        _after(order[-1], values[-1]),
    )
    return _after(order[0], values[0], or_equal=True) & step


def _after(term: str, value: Any, or_equal: bool = False) -> Q:
    lookup = ("lt" if term.startswith("-") else "gt") + ("e" if or_equal else "")
    return Q(**{f"{term.lstrip('-')}__{lookup}": value})


def _reversed(term: str) -> str:
    return term[1:] if term.startswith("-") else f"-{term}"


# -- cursors --------------------------------------------------------------------------------


def _write(way: Way, order: Sequence[str], row: models.Model) -> str:
    values = [_plain(_value(row, term.lstrip("-"))) for term in order]
    return signing.dumps([way, *values], salt=_salt(order))


def _read(queryset: models.QuerySet[Row], order: Sequence[str], cursor: str | None) -> _Edge | None:
    try:
        way, *values = signing.loads(cursor or "", salt=_salt(order))
        fields = [_field(queryset, term.lstrip("-")) for term in order]
        typed = tuple(field.to_python(value) for field, value in zip(fields, values, strict=True))
    except (signing.BadSignature, ValidationError, ValueError):
        return None
    return _Edge(cast(Way, way), typed)


def _salt(order: Sequence[str]) -> str:
    return "paging:" + ",".join(order)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value


def _value(row: models.Model, path: str) -> Any:
    return reduce(getattr, path.split("__"), cast(Any, row))


def _field(queryset: models.QuerySet[Row], path: str) -> "models.Field[Any, Any]":
    """The field behind an order term: an annotation's, the model's own or a related one's."""
    annotation = queryset.query.annotations.get(path)
    if annotation is not None:
        return annotation.output_field
    field: models.Field[Any, Any] | None = None
    model: Any = queryset.model
    for name in path.split("__"):
        field = model._meta.pk if name == "pk" else model._meta.get_field(name)
        model = field.related_model
    return cast("models.Field[Any, Any]", field)
