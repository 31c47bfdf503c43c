"""Writing what a chunk finds out: in bulk, each second, under the chunk's lease."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from apps.artifacts.redaction import Redactor
from apps.jobs.leases import Lease, LeaseLost
from apps.runs.contracts import Held
from apps.runs.engine.items import Again, Call, Finished, Item
from apps.runs.models import ASKING, Attempt, CachedAnswer, Result, Run, Score

from .rows import attempt_row, carried_scores, held_json, result_row, score_rows
from .upserts import ATTEMPT_KEY, RESULT_KEY, SCORE_KEY, upsert

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Taken:
    """What a chunk found out since the last time: all of one moment, so that it fits together.

    `got`: what those have, by the key of their item, that have no result yet.
    """

    finished: list[Finished]
    got: dict[str, Held]
    made: list[Call]
    remembered: list[CachedAnswer]


@dataclass(frozen=True, slots=True)
class Page:
    """Rows that are ready to be written: what costs time is done before the database is locked."""

    attempts: list[Attempt]
    results: list[Result]
    scores: list[tuple[Result, list[Score]]]
    cost: float


class Sheet:
    """Collects what a chunk finds out and writes it; nothing is written without the lease."""

    def __init__(
        self,
        *,
        run: Run,
        lease: Lease,
        redactor: Redactor,
        target_version_id: str,
        held: Mapping[str, Any],
        written: int = 0,
        beside: Mapping[str, Sequence[Score]] | None = None,
    ) -> None:
        self.again: list[Again] = []
        self.left: list[Item] = []
        self.redactor = redactor
        self._run = run
        self._lease = lease
        self._beside = beside or {}
        self._target_version_id = target_version_id
        # deques: the loop's thread appends while another puts back what could not be written
        self._finished: deque[Finished] = deque()
        self._calls: deque[Call] = deque()
        self._remembered: deque[CachedAnswer] = deque()
        self._held = dict(held)
        self._open: dict[str, Item] = {}
        self._waiting, self._written = 0, written

    def begin(self, item: Item) -> None:
        """The item is under way: what it gets meanwhile is kept, should this worker die."""
        self._open[item.key] = item

    def add(self, outcome: Finished | Again) -> None:
        self._open.pop(outcome.item.key, None)
        if isinstance(outcome, Again):
            self.again.append(outcome)
        else:
            self._finished.append(outcome)

    def note(self, call: Call) -> None:
        self._calls.append(call)

    def remember(self, answer: CachedAnswer) -> None:
        """What a judge said, for whoever asks it the same."""
        self._remembered.append(answer)

    def kept(self, item: Item) -> dict[str, Any]:
        """What the item already has, as it is stored."""
        return held_json(item.held, self.redactor)

    def flush(self) -> bool:
        """Take and write in one; nothing else is at work."""
        return self.write(self.take())

    def take(self) -> Taken:
        """To be called where the loop runs: between a call, its answer and its end is no await."""
        return Taken(
            _take(self._finished), self._got(), _take(self._calls), _take(self._remembered)
        )

    def write(self, taken: Taken) -> bool:
        """Write everything and renew the lease; False when the run wants no more.

        Raises LeaseLost, having written nothing, when the chunk went to another worker. What
        could not be written for another reason stays for the next time.
        """
        try:
            return self._write(taken)
        except Exception:
            self._finished.extendleft(reversed(taken.finished))
            self._calls.extendleft(reversed(taken.made))
            self._remembered.extendleft(reversed(taken.remembered))
            self._waiting = 0
            raise

    def _write(self, taken: Taken) -> bool:
        page, columns = self._page(taken.finished, taken.made), self._columns(taken)
        with transaction.atomic():
            if not self._lease.renew(**columns):
                raise LeaseLost
            upsert(page.attempts, key=ATTEMPT_KEY)
            upsert(page.results, key=RESULT_KEY)
            upsert(self._numbered(page), key=SCORE_KEY)
            # whoever asked the same meanwhile was first: what stands is not replaced
            CachedAnswer.objects.bulk_create(taken.remembered, ignore_conflicts=True)
            wanted = self._account_for(page.cost)
        self._written += len(taken.finished)
        return wanted

    def _page(self, finished: list[Finished], made: list[Call]) -> Page:
        run, redactor = self._run.pk, self.redactor
        results = [result_row(run, self._target_version_id, each, redactor) for each in finished]
        return Page(
            attempts=[attempt_row(run, call, redactor) for call in made],
            results=results,
            scores=[
                (result, self._scores(each)) for result, each in zip(results, finished, strict=True)
            ],
            cost=sum(call.reply.cost or 0.0 for call in made),
        )

    def _scores(self, finished: Finished) -> list[Score]:
        """The scores of the judgment, and beside them those that the answer had from elsewhere."""
        rows = list(score_rows(self._run.pk, finished, self.redactor))
        beside = self._beside.get(finished.item.key, ())
        return [*rows, *carried_scores(self._run.pk, rows, beside)] if beside else rows

    def _columns(self, taken: Taken) -> dict[str, Any]:
        """Progress, and what unfinished items have: a worker that dies does not take it along."""
        columns: dict[str, Any] = {"done": self._written + len(taken.finished)}
        if taken.got:
            done = {each.item.key for each in taken.finished}
            kept = {key: held for key, held in self._held.items() if key not in done}
            now = {key: held_json(held, self.redactor) for key, held in taken.got.items()}
            self._held = columns["held"] = {**kept, **now}
        return columns

    def _got(self) -> dict[str, Held]:
        """What those have that wait to be asked again, are amid a session, or being judged."""
        waiting = [again.item for again in self.again[self._waiting :]]
        self._waiting += len(waiting)
        under_way = [(item, item.held) for item in list(self._open.values())]
        return {item.key: item.held for item in waiting} | {
            item.key: held for item, held in under_way if _has_something(held, item.carried)
        }

    def _numbered(self, page: Page) -> list[Score]:
        """The scores with the keys of their results, which the database gives."""
        if not any(scores for _result, scores in page.scores):
            return []
        ordinals = [result.ordinal for result in page.results]
        rows = Result.objects.filter(run=self._run, ordinal__in=ordinals)
        keys = {(o, t): pk for o, t, pk in rows.values_list("ordinal", "trial", "pk")}
        for result, scores in page.scores:
            for score in scores:
                score.result_id = keys[result.ordinal, result.trial]
        return [score for _result, scores in page.scores for score in scores]

    def _account_for(self, cost: float) -> bool:
        """Add the cost to the run's; past its cap nothing more is asked."""
        runs = Run.objects.filter(pk=self._run.pk)
        if cost:
            runs.update(spent=F("spent") + cost)
            self._stop_at_the_cap(runs.values_list("spent", flat=True).get())
        return runs.filter(state__in=ASKING, cancel_requested_at=None).exists()

    def _stop_at_the_cap(self, spent: float) -> None:
        cap = self._run.cost_cap
        if cap is not None and spent >= cap:
            Run.objects.filter(pk=self._run.pk, cancel_requested_at=None).update(
                cancel_requested_at=timezone.now(),
                reason=f"The cost cap of {cap:g} was reached: {spent:.4f} spent.",
            )


def _has_something(held: Held, carried: bool) -> bool:
    """Whether it would be lost with the worker: an answer of this run, or a judge's text."""
    if carried:
        return bool(held.answers or held.unreadable)
    return held.reply is not None or bool(held.turns)


def _take(waiting: deque[Thing]) -> list[Thing]:
    return [waiting.popleft() for _ in range(len(waiting))]
