"""What became of a record in several trials: its tries together, and which records are flaky."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from apps.grading.trials import over_trials, record_passes
from apps.runs.models import Result, Run
from apps.runs.words import state_word

MOST_FLAKY = 10
_FIELDS = ("ordinal", "trial", "status", "verdict", "score", "record__record_id")
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Try:
    """One trial of a record, counted from 0; without a state it waits for its answer."""

    trial: int
    state: str = "waiting"
    score: float | None = None

    @property
    def number(self) -> int:
        return self.trial + 1


@dataclass(frozen=True)
class OfRecord:
    """A record's tries in their order, and what they make of it as the contract says.

    `record_id` is empty while the record waits for its first answer.
    """

    ordinal: int
    record_id: str
    tries: Sequence[Try]
    score: float | None
    passes: bool | None

    @property
    def passed(self) -> int:
        return sum(each.state == "passed" for each in self.tries)

    @property
    def judged(self) -> int:
        """Those that passed or failed the contract: an error is neither."""
        return sum(each.state in ("passed", "failed") for each in self.tries)

    @property
    def flaky(self) -> bool:
        return 0 < self.passed < self.judged

    @property
    def state(self) -> str:
        if self.passes is None:
            return "unjudged"
        return "passed" if self.passes else "failed"


def flaky_ordinals(run: Run) -> QuerySet[Result, Any]:
    """The records that passed in some trials and failed the contract in others, for a filter."""
    # Only what completed has a verdict, so both come from the index of verdicts alone.
    passed = Result.objects.filter(run=run, verdict="passed").values("ordinal")
    return Result.objects.filter(run=run, verdict="failed", ordinal__in=passed).values("ordinal")


def of_records(run: Run, ordinals: Iterable[int]) -> dict[int, OfRecord]:
    """The tries of each of these records; one query, none where each has but one."""
    if run.trials == 1:
        return {}
    found: dict[int, dict[int, Row]] = {ordinal: {} for ordinal in ordinals}
    for row in Result.objects.filter(run=run, ordinal__in=found).values_list(*_FIELDS):
        found[row[0]][row[1]] = row
    return {ordinal: _of_record(run, ordinal, rows) for ordinal, rows in found.items()}


def first_flaky(run: Run) -> list[OfRecord]:
    """The first flaky records in the order of the dataset; two queries."""
    if run.trials == 1:
        return []
    ordinals = flaky_ordinals(run).order_by("ordinal").values_list("ordinal", flat=True).distinct()
    return list(of_records(run, ordinals[:MOST_FLAKY]).values())


def _of_record(run: Run, ordinal: int, rows: dict[int, Row]) -> OfRecord:
    tries = [_try(trial, rows.get(trial)) for trial in range(run.trials)]
    scores = [each.score for each in tries if each.score is not None]
    passes = [each.state == "passed" for each in tries if each.state in ("passed", "failed")]
    return OfRecord(
        ordinal=ordinal,
        record_id=next((row[-1] for row in rows.values()), ""),
        tries=tries,
        score=over_trials(scores, run.over_trials),
        passes=record_passes(passes, run.over_trials),
    )


def _try(trial: int, row: Row | None) -> Try:
    if row is None:
        return Try(trial)
    _ordinal, _trial, status, verdict, score, _record_id = row
    return Try(trial, state_word(status, verdict), score)
