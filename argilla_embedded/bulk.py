"""What makes writing many records slow in the stock server, done only where somebody needs it."""

from functools import cache
from typing import Any

from argilla_server.bulk import records_bulk
from argilla_server.contexts import webhooks
from argilla_server.models import MetadataProperty
from argilla_server.models.metadata_properties import MetadataPropertySettings
from pydantic import TypeAdapter

_stock_notify = records_bulk.notify_record_event_v1


def quicken() -> None:
    records_bulk.notify_record_event_v1 = _notify_whoever_listens
    MetadataProperty.parsed_settings = property(
        lambda self: _adapter().validate_python(self.settings)
    )


async def _notify_whoever_listens(db: Any, event: Any, record: Any) -> list[Any]:
    """The stock server loads each record's whole dataset first, then looks for a listener."""
    if any(event in hook.events for hook in await webhooks.list_enabled_webhooks(db)):
        return list(await _stock_notify(db, event, record))
    return []


@cache
def _adapter() -> TypeAdapter[Any]:
    """Made once; the stock server makes it for every property of every record."""
    return TypeAdapter(MetadataPropertySettings)
