"""The search engine `embedded`; importing this module registers it."""

from typing import Any, NoReturn
from uuid import UUID

from argilla_server.database import AsyncSessionLocal
from argilla_server.enums import MetadataPropertyType
from argilla_server.errors.future import UnprocessableEntityError
from argilla_server.models import Dataset, MetadataProperty, Record, Response, User
from argilla_server.search_engine.base import (
    Filter,
    FloatMetadataMetrics,
    IntegerMetadataMetrics,
    MetadataMetrics,
    Order,
    SearchEngine,
    SearchResponseItem,
    SearchResponses,
    TermsMetrics,
    TextQuery,
)
from sqlalchemy import Select, func, select, text

from . import filters, orders, texts
from .values import values_at

NAME = "embedded"


@SearchEngine.register(engine_name=NAME)
class EmbeddedSearchEngine(SearchEngine):
    @classmethod
    async def new_instance(cls) -> "EmbeddedSearchEngine":
        return cls()

    async def close(self) -> None:
        """Nothing is held open."""

    async def ping(self) -> bool:
        return bool(await _first("SELECT 1"))

    async def info(self) -> dict[str, Any]:
        version = await _first("SELECT sqlite_version()")
        return {"name": NAME, "version": {"distribution": "sqlite", "number": version}}

    # -- asking -----------------------------------------------------------------------------

    async def search(
        self,
        dataset: Dataset,
        query: TextQuery | str | None = None,
        filter: Filter | None = None,  # noqa: A002 - the server's name
        sort: list[Order] | None = None,
        offset: int = 0,
        limit: int = 100,
        user_id: UUID | str | None = None,
    ) -> SearchResponses:
        """With a user, whatever the sort leaves open is in an order of that user's own."""
        where = [Record.dataset_id == dataset.id]
        if query is not None:
            where.append(texts.matches(dataset, query))
        if filter is not None:
            where.append(filters.holds(filter))
        found = select(Record.id).where(*where)
        ordered = found.order_by(*orders.of(sort or [], user_id)).offset(offset).limit(limit)
        async with AsyncSessionLocal() as db:
            total = await db.scalar(select(func.count()).select_from(found.subquery()))
            ids = await db.scalars(ordered)
            items = [SearchResponseItem(record_id=each, score=1.0) for each in ids]
        return SearchResponses(items=items, total=total)

    async def similarity_search(self, *args: object, **options: object) -> NoReturn:
        raise UnprocessableEntityError("This server keeps no vectors: search by text or filter.")

    async def get_dataset_progress(self, dataset: Dataset) -> dict[str, int]:
        if dataset.is_draft:
            return {}
        return await _counts(
            select(Record.status, func.count())
            .where(Record.dataset_id == dataset.id)
            .group_by(Record.status)
        )

    async def get_dataset_user_progress(self, dataset: Dataset, user: User) -> dict[str, int]:
        if dataset.is_draft:
            return {}
        return await _counts(
            select(Response.status, func.count())
            .join(Record, Record.id == Response.record_id)
            .where(Record.dataset_id == dataset.id, Response.user_id == user.id)
            .group_by(Response.status)
        )

    async def compute_metrics_for(self, metadata_property: MetadataProperty) -> MetadataMetrics:
        value = values_at(Record.metadata_, metadata_property.name)
        mine = select().join_from(Record, value, value.c.value.is_not(None))
        mine = mine.where(Record.dataset_id == metadata_property.dataset_id)
        if metadata_property.type == MetadataPropertyType.terms:
            return await _terms(mine, value.c.value)
        is_whole = metadata_property.type == MetadataPropertyType.integer
        metrics = IntegerMetadataMetrics if is_whole else FloatMetadataMetrics
        async with AsyncSessionLocal() as db:
            ends = mine.add_columns(func.min(value.c.value), func.max(value.c.value))
            least, most = (await db.execute(ends)).one()
        return metrics(min=least, max=most)

    # -- the tables are the index: there is nothing to keep up ---------------------------------

    async def create_index(self, dataset: Dataset) -> None: ...

    async def delete_index(self, dataset: Dataset) -> None: ...

    async def configure_metadata_property(
        self, dataset: Dataset, metadata_property: MetadataProperty
    ) -> None: ...

    async def index_records(self, dataset: Dataset, records: object) -> None: ...

    async def partial_record_update(self, record: Record, **update: object) -> None: ...

    async def delete_records(self, dataset: Dataset, records: object) -> None: ...

    async def update_record_response(self, response: Response) -> None: ...

    async def delete_record_response(self, response: Response) -> None: ...

    async def update_record_suggestion(self, suggestion: object) -> None: ...

    async def delete_record_suggestion(self, suggestion: object) -> None: ...


async def _first(sql: str) -> Any:
    async with AsyncSessionLocal() as db:
        return await db.scalar(text(sql))


async def _counts(query: Select[Any]) -> dict[str, int]:
    """Rows of a status and how many have it, with their sum as `total`."""
    async with AsyncSessionLocal() as db:
        counts = {status.value: n for status, n in await db.execute(query)}
    return {"total": sum(counts.values()), **counts}


async def _terms(query: Select[Any], value: Any) -> TermsMetrics:
    n = func.count()
    async with AsyncSessionLocal() as db:
        rows = await db.execute(
            query.add_columns(value, n).group_by(value).order_by(n.desc(), value)
        )
        counts = [TermsMetrics.TermCount(term=str(term), count=each) for term, each in rows]
    return TermsMetrics(total=sum(each.count for each in counts), values=counts)
