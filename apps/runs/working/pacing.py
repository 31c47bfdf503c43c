"""The pace that a target's rate limit allows, shared by all workers through the database."""

import asyncio
from datetime import UTC, datetime, timedelta
from math import ceil

from asgiref.sync import sync_to_async

from apps.runs.engine.items import Pace
from apps.targets import services as targets


def pace_of(target_id: str, per_minute: int | None) -> Pace:
    """Waits for the next call that the target's rate limit grants to this process."""
    return _no_wait if per_minute is None else Turns(target_id, per_minute).wait


class Turns:
    """Turns to call, fetched from the database for about a second at a time."""

    def __init__(self, target_id: str, per_minute: int) -> None:
        self._target_id = target_id
        self._per_minute = per_minute
        self._block = max(1, ceil(per_minute / 60))
        self._turns: list[datetime] = []
        self._lock = asyncio.Lock()

    async def wait(self) -> None:
        """Wait in line: who holds no turn yet fetches none, so none is lost when time is over."""
        async with self._lock:
            if not self._turns:
                await self._fetch()
            wait = (self._turns[0] - datetime.now(UTC)).total_seconds()
            if wait > 0:
                await asyncio.sleep(wait)
            self._turns.pop(0)

    async def _fetch(self) -> None:
        start = await sync_to_async(targets.grant)(
            self._target_id, calls=self._block, per_minute=self._per_minute
        )
        apart = timedelta(minutes=1) / self._per_minute
        self._turns = [start + apart * number for number in range(self._block)]


async def _no_wait() -> None:
    return None
