"""Whose turn it is: fair among runs, and never more calls at once than a target allows.

What a run may have under way is counted in slots: each chunk that was sent or runs holds the
`slots` of its run. The decision and its mark are one transaction under a lock of the target, so
two supervisors or a worker that goes on by itself never give away the same room.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Min, QuerySet, Sum

from apps.jobs import services as jobs
from apps.jobs.models import JobState
from apps.runs.models import Chunk
from apps.targets.models import Target

UNDER_WAY = (JobState.SENT, JobState.RUNNING)


@dataclass(slots=True)
class Line:
    """The chunks of one run that wait for one target."""

    run: str
    target: str
    slots: int
    concurrency: int
    due: int
    first: datetime
    under_way: int
    chosen: int = 0

    def fits(self, busy: int) -> bool:
        return self.chosen < self.due and busy + self.slots <= self.concurrency

    @property
    def rank(self) -> tuple[int, datetime]:
        """The run with the fewest chunks under way comes first, then who waits longest."""
        return self.under_way + self.chosen, self.first


def sendable(window: int) -> Iterator[Chunk]:
    """Due chunks, as many as the window and each target's concurrency allow, shared fairly."""
    room = window - Chunk.objects.filter(state=JobState.SENT).count()
    for line in _chosen(_lines(), room) if room > 0 else ():
        waiting = Chunk.due().filter(run=line.run, target=line.target)
        yield from _light(waiting)[: line.chosen]


def admits(chunk: Chunk) -> bool:
    """Whether the target has room for it; the target stays locked until the transaction ends."""
    Target.objects.select_for_update(no_key=True).get(pk=chunk.target_id)
    busy = _busy().get(chunk.target_id, 0)
    return busy + chunk.run.slots <= chunk.run.concurrency


def successor(chunk: Chunk) -> int | None:
    """The next chunk of the same target to go on with, of the run whose turn it is."""
    line = next(iter(_chosen(_lines(target=chunk.target_id), 1)), None)
    if line is None:
        return None
    waiting = _light(Chunk.due().filter(run=line.run, target=line.target)).first()
    with transaction.atomic():
        return waiting.pk if waiting and jobs.mark_sent(waiting) else None


def _chosen(lines: list[Line], room: int) -> list[Line]:
    """Give the room away one chunk at a time; the lines that got some."""
    busy = _busy() if lines else {}
    for _ in range(room):
        fitting = [line for line in lines if line.fits(busy.get(line.target, 0))]
        if not fitting:
            break
        fairest = min(fitting, key=lambda line: line.rank)
        fairest.chosen += 1
        busy[fairest.target] = busy.get(fairest.target, 0) + fairest.slots
    return [line for line in lines if line.chosen]


def _lines(**only: str) -> list[Line]:
    waiting = Chunk.due().filter(**only).order_by()
    rows = waiting.values_list("run", "target", "run__slots", "run__concurrency")
    under_way = dict(
        Chunk.objects.filter(state__in=UNDER_WAY).values_list("run").annotate(n=Count("pk"))
    )
    return [
        Line(run, target, slots, concurrency, due, first, under_way.get(run, 0))
        for run, target, slots, concurrency, due, first in rows.annotate(
            n=Count("pk"), first=Min("not_before")
        )
    ]


def _busy() -> dict[str, int]:
    """Slots in use by target."""
    under_way = Chunk.objects.filter(state__in=UNDER_WAY).order_by()
    return dict(under_way.values_list("target").annotate(n=Sum("run__slots")))


def _light(chunks: QuerySet[Chunk]) -> QuerySet[Chunk]:
    """Without what only the worker reads: held answers can be large."""
    return chunks.select_related("run").defer("items", "held", "run__plan")
