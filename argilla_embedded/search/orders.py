"""The order of records: what is asked for first, then each person's own."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any
from uuid import UUID

from argilla_server.models import Question, Record, Response, Suggestion
from argilla_server.search_engine.base import (
    MetadataFilterScope,
    Order,
    RecordFilterScope,
    ResponseFilterScope,
    SuggestionFilterScope,
)
from sqlalchemy import String, case, cast, event, func, select
from sqlalchemy.engine import Engine

from .filters import INSIDE_JSON
from .values import path_of


def of(sort: Sequence[Order], user_id: UUID | str | None) -> list[Any]:
    asked = [_order(each) for each in sort]
    own = [func.desk_shuffle(cast(Record.id, String), str(user_id))] if user_id else []
    return [*asked, *own, Record.inserted_at, Record.id]


@event.listens_for(Engine, "connect")
def _teach(connection: Any, record: object) -> None:
    connection.create_function("desk_shuffle", 2, _shuffle, deterministic=True)


def _shuffle(record: str, user: str) -> bytes:
    """A place that follows from both, so that pages fit together and people differ."""
    return blake2b(record.encode(), key=user.encode()[:64], digest_size=8).digest()


def _order(order: Order) -> Any:
    value = _value(order.scope)
    return (value.desc() if order.order == "desc" else value.asc()).nulls_last()


def _value(scope: Any) -> Any:
    if isinstance(scope, RecordFilterScope):
        return getattr(Record, str(scope.property))
    if isinstance(scope, MetadataFilterScope):
        return func.json_extract(Record.metadata_, path_of(scope.metadata_property))
    if isinstance(scope, SuggestionFilterScope):
        return _of_suggestion(scope)
    return _of_responses(scope)


def _of_suggestion(scope: SuggestionFilterScope) -> Any:
    column = getattr(Suggestion, scope.property)
    value = func.json_extract(column, "$") if scope.property in INSIDE_JSON else column
    found = (
        select(value)
        .join(Question, Question.id == Suggestion.question_id)
        .where(Suggestion.record_id == Record.id, Question.name == scope.question)
    )
    return found.correlate(Record).scalar_subquery()


def _of_responses(scope: ResponseFilterScope) -> Any:
    """Of several people's numbers their mean, of anything else the first."""
    value: Any = cast(Response.status, String)
    if scope.question:
        value = func.json_extract(Response.values, path_of(scope.question, "value"))
    mean = func.avg(case((func.typeof(value) != "text", value)))
    found = select(func.coalesce(mean, func.min(value))).where(Response.record_id == Record.id)
    if scope.user is not None:
        found = found.where(Response.user_id == scope.user.id)
    return found.correlate(Record).scalar_subquery()
