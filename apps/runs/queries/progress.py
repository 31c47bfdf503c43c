"""How far a run is, what became of its records, and who works on it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, F, Max, Min, Q, Sum

from apps.contract import Contract
from apps.jobs.models import OPEN, JobState
from apps.runs.models import Chunk, Result, ResultStatus, Run
from apps.runs.words import cause_title

FAILURES = (ResultStatus.TIMEOUT, ResultStatus.EVALUATION_ERROR)
BACKOFF = timedelta(seconds=1)
"""A chunk that was made to wait longer than this holds records that failed and try again."""


class Denominators(Contract):
    """What every rate of a run stands on; `waiting` is 0 once the run has ended.

    Counted in tries where the run has several trials, of rejected records too.

    total = valid + invalid; valid = evaluated + failed + skipped + waiting;
    evaluated = passed + failed_contract + unjudged.
    """

    total: int
    valid: int
    invalid: int
    evaluated: int
    failed: int
    skipped: int
    waiting: int
    passed: int
    failed_contract: int
    unjudged: int

    @property
    def finished(self) -> int:
        return self.evaluated + self.failed + self.skipped


class Group(Contract):
    """Results that share a status and a cause."""

    status: str
    cause: str
    count: int
    passed: int
    failed_contract: int

    @property
    def title(self) -> str:
        return cause_title(self.status, self.cause)

    @property
    def is_failure(self) -> bool:
        return self.status in FAILURES


class Work(Contract):
    """The chunks of a run: all that workers were given, and what waits to be tried again."""

    chunks: int
    ended: int
    running: int
    waiting: int
    failed: int
    redelivered: int
    asked: int
    retrying_records: int
    next_retry_at: datetime | None


@dataclass(frozen=True)
class Counts:
    denominators: Denominators
    groups: tuple[Group, ...]

    @property
    def failures(self) -> tuple[Group, ...]:
        """The groups that failed, the largest first."""
        failed = [group for group in self.groups if group.is_failure]
        return tuple(sorted(failed, key=lambda group: -group.count))


class Progress(Contract):
    """Tries of the plan: scored + retrying + failed + skipped + waiting = planned."""

    planned: int
    scored: int
    retrying: int
    failed: int
    skipped: int
    waiting: int
    per_second: float | None = None
    seconds_left: float | None = None

    @property
    def finished(self) -> int:
        return self.scored + self.failed + self.skipped

    @property
    def share(self) -> float:
        return self.finished / self.planned if self.planned else 1.0


def counts_of(run: Run) -> Counts:
    """The results by status and cause with their verdicts; one query over one index."""
    rows = (
        Result.objects.filter(run=run)
        .values("status", "cause")
        .annotate(
            count=Count("*"),
            passed=Count("status", filter=Q(verdict="passed")),
            failed_contract=Count("status", filter=Q(verdict="failed")),
        )
        .order_by("status", "cause")
    )
    groups = tuple(Group(**row) for row in rows)
    return Counts(denominators(run, groups), groups)


def newest_failures(run: Run) -> dict[tuple[str, str], Result]:
    """The failure written last for each status and cause; one query over the failures alone."""
    failed = Result.objects.filter(run=run, status__in=FAILURES)
    last = failed.values("status", "cause").annotate(newest=Max("pk")).values("newest")
    newest = Result.objects.filter(pk__in=last).select_related("record")
    found = newest.defer("record__payload", "response")
    return {(result.status, result.cause): result for result in found}


def denominators(run: Run, groups: tuple[Group, ...]) -> Denominators:
    evaluated = [group for group in groups if group.status == ResultStatus.COMPLETED]
    count = sum(group.count for group in evaluated)
    passed = sum(group.passed for group in evaluated)
    failed_contract = sum(group.failed_contract for group in evaluated)
    failed = sum(group.count for group in groups if group.is_failure)
    skipped = sum(group.count for group in groups) - count - failed
    valid = max(run.planned, count + failed + skipped)
    waiting = valid - count - failed - skipped
    if not run.is_open:  # a run that could not begin asked nobody: those records were skipped
        skipped, waiting = skipped + waiting, 0
    invalid = run.rejected * run.trials
    return Denominators(
        total=valid + invalid,
        valid=valid,
        invalid=invalid,
        evaluated=count,
        failed=failed,
        skipped=skipped,
        waiting=waiting,
        passed=passed,
        failed_contract=failed_contract,
        unjudged=count - passed - failed_contract,
    )


def work_of(run: Run) -> Work:
    """One query over the chunks, at most a few hundred rows."""
    open_ = Q(state__in=OPEN)
    again = open_ & Q(not_before__gt=F("created_at") + BACKOFF)
    found = Chunk.objects.filter(run=run).aggregate(
        chunks=Count("pk"),
        ended=Count("pk", filter=Q(state=JobState.DONE)),
        running=Count("pk", filter=Q(state=JobState.RUNNING)),
        waiting=Count("pk", filter=Q(state__in=[JobState.PENDING, JobState.SENT])),
        failed=Count("pk", filter=Q(state=JobState.FAILED)),
        redelivered=Sum(F("deliveries") - 1, filter=Q(deliveries__gt=1), default=0),
        asked=Sum("done", default=0),
        retrying_records=Sum(F("total") - F("done"), filter=again, default=0),
        next_retry_at=Min("not_before", filter=again & Q(state=JobState.PENDING)),
    )
    return Work(**found)


def progress_of(run: Run, counts: Counts, work: Work | None, now: datetime) -> Progress:
    """Where the run is; the pace is that of the records asked since it began."""
    found = counts.denominators
    retrying = min(work.retrying_records, found.waiting) if work else 0
    per_second = _pace(run, work, now)
    return Progress(
        planned=found.valid,
        scored=found.evaluated,
        retrying=retrying,
        failed=found.failed,
        skipped=found.skipped,
        waiting=found.waiting - retrying,
        per_second=per_second,
        seconds_left=found.waiting / per_second if per_second and found.waiting else None,
    )


def _pace(run: Run, work: Work | None, now: datetime) -> float | None:
    if work is None or run.started_at is None or not run.is_open or not work.asked:
        return None
    seconds = (now - run.started_at).total_seconds()
    return work.asked / seconds if seconds > 1 else None
