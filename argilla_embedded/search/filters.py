"""Filters over records, their metadata, suggestions and responses, as conditions in SQL."""

from datetime import UTC, datetime
from typing import Any

from argilla_server.enums import ResponseStatusFilter
from argilla_server.errors.future import UnprocessableEntityError
from argilla_server.models import Question, Record, Response, Suggestion
from argilla_server.search_engine.base import (
    AndFilter,
    Filter,
    MetadataFilterScope,
    RangeFilter,
    RecordFilterScope,
    ResponseFilterScope,
    SuggestionFilterScope,
    TermsFilter,
)
from sqlalchemy import String, and_, cast, exists, literal, not_, or_, select, true

from .values import values_at

MOMENTS = ("inserted_at", "updated_at")
INSIDE_JSON = ("value", "score")


def holds(asked: Filter) -> Any:
    if isinstance(asked, AndFilter):
        return and_(true(), *(holds(each) for each in asked.filters))
    scope = asked.scope
    if isinstance(scope, RecordFilterScope):
        return _record_has(asked, scope)
    if isinstance(scope, MetadataFilterScope):
        value = values_at(Record.metadata_, scope.metadata_property)
        return _one_of(select(literal(1)).select_from(value).where(_fits(value.c.value, asked)))
    if isinstance(scope, SuggestionFilterScope):
        return _suggestion_has(asked, scope)
    return _response_has(asked, scope)


def _fits(value: Any, asked: TermsFilter | RangeFilter) -> Any:
    if isinstance(asked, TermsFilter):
        return cast(value, String).in_([str(each) for each in asked.values])
    ends = [value >= asked.ge] if asked.ge is not None else []
    return and_(*ends, *([value <= asked.le] if asked.le is not None else []))


def _record_has(asked: TermsFilter | RangeFilter, scope: RecordFilterScope) -> Any:
    name = str(scope.property)
    column = getattr(Record, name)
    if name in MOMENTS:
        return _fits_moment(column, asked)
    if name == "id" and isinstance(asked, TermsFilter):
        plain = [each.replace("-", "").lower() for each in asked.values]  # as SQLite keeps them
        asked = TermsFilter(scope, plain)
    return _fits(cast(column, String), asked)


def _fits_moment(column: Any, asked: TermsFilter | RangeFilter) -> Any:
    if isinstance(asked, TermsFilter):
        return column.in_([_moment(each) for each in asked.values])
    ends = RangeFilter(asked.scope, *(end and _moment(end) for end in (asked.ge, asked.le)))
    return _fits(column, ends)


def _moment(value: str | float) -> datetime:
    """In UTC and without saying so, which is how Argilla keeps moments."""
    try:
        if isinstance(value, float):
            return datetime.fromtimestamp(value, UTC).replace(tzinfo=None)
        moment = datetime.fromisoformat(value)
    except (ValueError, OverflowError):
        raise UnprocessableEntityError(f"`{value}` is not a date and time") from None
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def _suggestion_has(asked: TermsFilter | RangeFilter, scope: SuggestionFilterScope) -> Any:
    column = getattr(Suggestion, scope.property)
    found = (
        select(literal(1))
        .join_from(Suggestion, Question, Question.id == Suggestion.question_id)
        .where(Suggestion.record_id == Record.id, Question.name == scope.question)
    )
    if scope.property not in INSIDE_JSON:
        return _one_of(found.where(_fits(cast(column, String), asked)))
    value = values_at(column)
    return _one_of(found.join(value, _fits(value.c.value, asked)))


def _response_has(asked: TermsFilter | RangeFilter, scope: ResponseFilterScope) -> Any:
    found = select(literal(1)).select_from(Response).where(Response.record_id == Record.id)
    if scope.user is not None:
        found = found.where(Response.user_id == scope.user.id)
    if scope.question:
        value = values_at(Response.values, scope.question, "value")
        return _one_of(found.join(value, _fits(value.c.value, asked)))
    if not isinstance(asked, TermsFilter):
        raise UnprocessableEntityError("The status of a response has no range")
    states = [each for each in asked.values if each != ResponseStatusFilter.pending]
    ways = [_one_of(found.where(cast(Response.status, String).in_(states)))]
    if len(states) < len(asked.values):
        ways.append(not_(_one_of(found)))  # pending: this person, or nobody, has answered
    return or_(*ways)


def _one_of(found: Any) -> Any:
    return exists(found.correlate(Record))
