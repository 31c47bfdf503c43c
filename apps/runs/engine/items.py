"""What goes through an evaluation: records to ask, calls made for them, and how they end."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import uniform
from typing import Any, Literal, Protocol

from apps.grading.contracts import Judgment, Question
from apps.runs.contracts import LONGEST_WAIT_SECONDS, Held
from apps.targets.adapters import Adapter
from apps.targets.contracts import Ask, Reply

Pace = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class Item:
    """One record of a chunk and one of its trials.

    `carried`: the answer is another run's; who gave it then is `target_version_id`.
    """

    ordinal: int
    trial: int
    record_pk: int
    record_id: str
    payload: dict[str, Any]
    held: Held = field(default_factory=Held)
    session_id: str = ""
    carried: bool = False
    target_version_id: str | None = None

    @property
    def key(self) -> str:
        return f"{self.ordinal}.{self.trial}"


@dataclass(frozen=True, slots=True)
class Call:
    """One attempt, as it is stored."""

    ordinal: int
    trial: int
    purpose: Literal["target", "judge"]
    rule: str
    call: str
    number: int
    started_at: datetime
    reply: Reply


Note = Callable[[Call], None]


@dataclass(frozen=True, slots=True)
class Finished:
    """A record that has its result: an answer with its judgment, or a reason."""

    item: Item
    status: Literal["completed", "timeout", "evaluation_error"]
    cause: str = ""
    detail: str = ""
    judgment: Judgment | None = None


@dataclass(frozen=True, slots=True)
class Again:
    """A record to go on with after `delay` seconds: it failed in a way that passes, or its time
    was over between two turns."""

    item: Item
    delay: float
    since: float = field(default_factory=time.monotonic)

    def remaining(self, now: float) -> float:
        """Seconds that it still waits, on the clock of `time.monotonic`."""
        return max(0.0, self.since + self.delay - now)


class Memory(Protocol):
    """What a judge said to the same request before; only of judges that would say it again."""

    async def recall(self, question: Question) -> Reply | None:
        """The reply that was kept; it costs nothing and nobody is asked."""
        ...

    def keep(self, question: Question, reply: Reply) -> None: ...


@dataclass(frozen=True, slots=True)
class Party:
    """Somebody to ask: the adapter, the pace that its rate limit allows, and what is known.

    `converses`: a session's inputs are sent in turn; else it is asked once for all of them.
    """

    adapter: Adapter
    pace: Pace
    max_attempts: int
    converses: bool = True
    memory: Memory | None = None

    async def ask(self, ask: Ask) -> tuple[datetime, Reply]:
        """The reply, and the moment when it was asked for."""
        try:
            await self.pace()
        except Exception as error:
            raise PaceBroke from error
        started = datetime.now(UTC)
        return started, await self.adapter.ask(ask)


class PaceBroke(Exception):
    """The rate limit could not be read: nothing that the record is to blame for."""


def wait_after(attempts: int, reply: Reply, backoff: Sequence[float]) -> float:
    """Seconds: the backoff with its jitter, or Retry-After where that is longer."""
    own = backoff[attempts - 1] * uniform(0.8, 1.2)  # noqa: S311
    asked_for = (reply.retry_after_ms or 0) / 1000
    return min(max(own, asked_for), LONGEST_WAIT_SECONDS)
