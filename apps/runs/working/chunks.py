"""The work of one chunk: claim, ask, judge, flush twice a second, leave the rest behind.

A chunk is held under a lease. What fails in a way that passes leaves as a new chunk that waits,
so no worker sleeps; what the time of a task does not suffice for leaves as one that is due at
once. Closing the old chunk and creating the new ones is one transaction under the lease.
"""

import asyncio
import time
from collections import deque
from collections.abc import Iterable
from datetime import timedelta
from importlib import import_module

from asgiref.sync import async_to_sync, sync_to_async
from django.db import transaction
from django.db.models.functions import Now

from apps.grading.rules.answers.reference import tokens
from apps.jobs import stopping
from apps.jobs.leases import Lease, LeaseLost
from apps.jobs.models import JobState
from apps.runs.advancing import advance, advance_open_runs
from apps.runs.ending.attempted import attempted
from apps.runs.engine.evaluating import Evaluator
from apps.runs.engine.items import Item
from apps.runs.models import ASKING, Chunk, Result, ResultStatus, Run

from .loading import Work, load
from .scheduling import admits, sendable, successor
from .sheets import Sheet

__all__ = ["admits", "after_sweep", "give_up", "perform", "sendable", "successor", "warm_up"]

FLUSH_SECONDS = 0.5
"""What a worker that is killed may have been answered in vain."""
BUDGET_SECONDS = 150.0
"""No record is begun after it: the rest is for later chunks, so that runs take turns."""
LAST_SECONDS = 700.0
"""What is still asked then is let go and asked again; the longest single call takes 600 s."""
LOOK_SECONDS = 0.5
STOPPING_SECONDS = 2.0
"""What is under way may still end when the process is asked to stop; the rest is for later."""
REST_SECONDS = 0.1
"""What one slot may take from the others at a stretch."""
TOGETHER_SECONDS = 0.4
"""Records that are due within it wait together in one chunk."""


def perform(chunk: Chunk, lease: Lease) -> None:
    """Give every record of the chunk a result, or a place in a later chunk."""
    run = Run.objects.select_related("workspace", "contract_version", "dataset_version").get(
        pk=chunk.run_id
    )
    if run.state not in ASKING or run.cancel_requested_at:
        lease.close(JobState.CANCELLED)
    else:
        _ask(run, chunk, lease)
    advance(chunk.run_id)


def give_up(chunk: Chunk, error: str) -> None:
    """A chunk that no worker survived: its records end with that reason, none is lost."""
    ordinals = [ordinal for ordinal, _trial in chunk.items]
    results = Result.objects.filter(run=chunk.run_id, ordinal__in=ordinals)
    done = set(results.values_list("ordinal", "trial"))
    asked = attempted(chunk.run_id, ordinals)
    records = chunk.run.dataset_version.records.filter(ordinal__in=ordinals)
    keys = dict(records.values_list("ordinal", "pk"))
    Result.objects.bulk_create(
        Result(
            run_id=chunk.run_id,
            record_id=keys[ordinal],
            ordinal=ordinal,
            trial=trial,
            status=ResultStatus.EVALUATION_ERROR,
            cause="worker_lost",
            detail=error,
            **asked.get((ordinal, trial), {}),
        )
        for ordinal, trial in chunk.items
        if (ordinal, trial) not in done
    )


def after_sweep() -> None:
    advance_open_runs()


def warm_up() -> None:
    """The HTTP client takes a third of a second to import, the words' tables as long to build."""
    import_module("apps.targets.client")
    for mark in ("", " "):
        tokens("", punctuation=mark)


def _ask(run: Run, chunk: Chunk, lease: Lease) -> None:
    work = load(run, chunk, lease)
    try:
        wanted = async_to_sync(_ask_all)(work)
    except LeaseLost:
        raise
    except Exception:
        work.sheet.flush()  # whatever broke: what was answered is kept
        raise
    _close(chunk, lease, work.sheet, wanted)


async def _ask_all(work: Work) -> bool:
    """Evaluate the items, as many at once as the chunk may; False when the run wants no more."""
    queue, deadline = deque(work.items), time.monotonic() + BUDGET_SECONDS
    finished = asyncio.Event()
    async with work.evaluator(lambda: _is_enough(deadline)) as evaluator:
        slots = [
            asyncio.create_task(_slot(queue, evaluator, work.sheet, deadline))
            for _ in range(min(max(work.slots, 1), len(queue)))
        ]
        asking = asyncio.create_task(_first_end(slots))
        keeping = asyncio.create_task(_keep(work.sheet, finished))
        await asyncio.wait({asking, keeping}, return_when=asyncio.FIRST_COMPLETED)
        await _let_go([asking, *slots])
        finished.set()
        wanted = await keeping
    for slot in slots:
        if not slot.cancelled():
            slot.result()
    work.sheet.left.extend(queue)
    return wanted


async def _slot(queue: deque[Item], evaluator: Evaluator, sheet: Sheet, deadline: float) -> None:
    rested = time.monotonic()
    while queue and not _is_enough(deadline):
        item = queue.popleft()
        sheet.begin(item)
        try:
            sheet.add(await evaluator.evaluate(item))
        except asyncio.CancelledError:
            sheet.left.append(item)
            raise
        if time.monotonic() - rested > REST_SECONDS:
            await asyncio.sleep(0)  # rules that ask nobody never wait: others want their turn
            rested = time.monotonic()


def _is_enough(deadline: float) -> bool:
    return time.monotonic() >= deadline or stopping.asked()


async def _first_end(slots: list[asyncio.Task[None]]) -> None:
    """Until all have ended, one broke, it takes too long for a task, or this process must stop."""
    last = time.monotonic() + LAST_SECONDS
    waiting: set[asyncio.Task[None]] = set(slots)
    while waiting and time.monotonic() < last:
        done, waiting = await asyncio.wait(
            waiting, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_EXCEPTION
        )
        if stopping.asked():
            last = min(last, time.monotonic() + STOPPING_SECONDS)
        if any(not task.cancelled() and task.exception() for task in done):
            return


async def _let_go(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _keep(sheet: Sheet, finished: asyncio.Event) -> bool:
    """Flush and renew twice a second until the items are done; False when the run wants no more."""
    while True:
        try:
            await asyncio.wait_for(finished.wait(), FLUSH_SECONDS)
        except TimeoutError:
            if not await sync_to_async(sheet.write)(sheet.take()):
                return False
        else:
            return True


def _close(chunk: Chunk, lease: Lease, sheet: Sheet, wanted: bool) -> None:
    later = list(_later_chunks(chunk, sheet))
    with transaction.atomic():
        wanted = sheet.flush() and wanted
        if wanted and later:
            wanted = _still_wanted(chunk.run_id)
        if not lease.close(JobState.DONE if wanted else JobState.CANCELLED, held={}):
            raise LeaseLost
        if wanted:
            Chunk.objects.bulk_create(later)


def _still_wanted(run_id: str) -> bool:
    """Locks the run: whoever cancels it now waits, and finds the chunks that are added here."""
    return Run.objects.filter(pk=run_id, state__in=ASKING, cancel_requested_at=None).hold()


def _later_chunks(chunk: Chunk, sheet: Sheet) -> Iterable[Chunk]:
    """What is to be asked again when its wait is over, and what time did not allow."""
    for number, (delay, items) in enumerate(_groups(sheet)):
        yield Chunk(
            run_id=chunk.run_id,
            target_id=chunk.target_id,
            seq=f"{chunk.seq}.{number}",
            items=[[item.ordinal, item.trial] for item in items],
            held={item.key: sheet.kept(item) for item in items},
            total=len(items),
            # a sum has more digits on SQLite: what is due at once would come after this moment
            not_before=Now() + timedelta(seconds=delay) if delay else Now(),
        )


def _groups(sheet: Sheet) -> list[tuple[float, list[Item]]]:
    """Items with the seconds that they still wait: nobody is asked before its own time."""
    waits = [(0.0, item) for item in sheet.left]
    waits += [(again.remaining(time.monotonic()), again.item) for again in sheet.again]
    groups: list[tuple[float, float, list[Item]]] = []
    for wait, item in sorted(waits, key=lambda pair: pair[0]):
        if not groups or wait - groups[-1][0] > TOGETHER_SECONDS:
            groups.append((wait, wait, [item]))
        else:
            first, _last, items = groups[-1]
            groups[-1] = (first, wait, [*items, item])
    return [(last, items) for _first, last, items in groups]
