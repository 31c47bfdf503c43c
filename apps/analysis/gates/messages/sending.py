"""One try to bring a message to its address, and what is kept of it."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from asgiref.sync import async_to_sync

from apps.contract import Contract
from apps.targets.failures import retry_after_ms

if TYPE_CHECKING:
    from apps.targets.client import Answered, Failed

TIMEOUT_S = 10
LONGEST_WAIT_S = 3_600
"""What a Retry-After is honoured up to."""


class Try(Contract):
    """When a message was sent and what came of it; never what the address answered in words."""

    at: datetime
    status: int | None = None
    error: str = ""
    ms: int = 0
    wait_s: int = 0
    """What the address asked to wait before the next, in seconds."""

    @property
    def accepted(self) -> bool:
        return self.status is not None and not self.error


def send(url: str, body: bytes, headers: Mapping[str, str], now: datetime) -> Try:
    """POST it, within ten seconds; whatever happens is a Try."""
    headers = {"content-type": "application/json", "user-agent": "EvalHub", **headers}
    return try_of(async_to_sync(_post)(url, body, headers), now)


def try_of(outcome: "Answered | Failed", now: datetime) -> Try:
    from apps.targets.client import Failed

    if isinstance(outcome, Failed):
        return Try(at=now, error=outcome.detail, ms=outcome.latency_ms)
    wait_ms = retry_after_ms(outcome.headers, now, LONGEST_WAIT_S * 1000) or 0
    return Try(
        at=now,
        status=outcome.status,
        error=_sentence(outcome.status),
        ms=outcome.latency_ms,
        wait_s=-(-wait_ms // 1000),
    )


async def _post(url: str, body: bytes, headers: Mapping[str, str]) -> "Answered | Failed":
    # aiohttp takes a third of a second to import, and only sending needs it
    from apps.targets.client import open_client

    async with open_client(concurrency=1, timeout_s=TIMEOUT_S) as client:
        return await client.send("POST", url, body=body, headers=headers, reads=False)


def _sentence(status: int) -> str:
    """'' of a status that accepts the message."""
    if 200 <= status < 300:
        return ""
    if 300 <= status < 400:
        return f"HTTP {status}: the address leads elsewhere, and redirects are not followed."
    if 400 <= status < 500 and status not in (408, 429):
        return f"HTTP {status}: the address refuses the message; see that it is the right one."
    return f"HTTP {status}: the address cannot take the message now."
