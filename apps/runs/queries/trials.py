"""What became of a record in several trials: its tries together, and which records are flaky."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from apps.datasets.models import Record
from apps.grading.trials import over_trials, record_passes
from apps.runs.models import Result, Run
from apps.runs.words import state_word

MOST_FLAKY = 10


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
    """A record's tries in their order, and what they make of it as the contract says."""

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


@dataclass(frozen=True)
class Flaky:
    record: Record
    of: OfRecord


def flaky_ordinals(run: Run) -> QuerySet[Result, Any]:
    """The records that passed in some trials and failed the contract in others, for a filter."""
    # Only what completed has a verdict, so both come from the index of verdicts alone.
    passed = Result.objects.filter(run=run, verdict="passed").values("ordinal")
    return Result.objects.filter(run=run, verdict="failed", ordinal__in=passed).values("ordinal")


def of_records(run: Run, ordinals: Iterable[int]) -> dict[int, OfRecord]:
    """The tries of each of these records; one query, none where each has but one."""
    if run.trials == 1:
        return {}
    wanted = set(ordinals)
    found: dict[int, dict[int, Try]] = {ordinal: {} for ordinal in wanted}
    rows = Result.objects.filter(run=run, ordinal__in=wanted)
    for ordinal, trial, status, verdict, score in rows.values_list(
        "ordinal", "trial", "status", "verdict", "score"
    ):
        found[ordinal][trial] = Try(trial, state_word(status, verdict), score)
    return {ordinal: _of_record(run, tries) for ordinal, tries in found.items()}


def first_flaky(run: Run) -> list[Flaky]:
    """The first flaky records in the order of the dataset; three queries."""
    if run.trials == 1:
        return []
    ordinals = flaky_ordinals(run).order_by("ordinal").values_list("ordinal", flat=True).distinct()
    of = of_records(run, ordinals[:MOST_FLAKY])
    records = Record.objects.filter(version=run.dataset_version_id, ordinal__in=of)
    return [
        Flaky(record, of[record.ordinal]) for record in records.defer("payload").order_by("ordinal")
    ]


def _of_record(run: Run, found: dict[int, Try]) -> OfRecord:
    tries = [found.get(trial) or Try(trial) for trial in range(run.trials)]
    scores = [each.score for each in tries if each.score is not None]
    passes = [each.state == "passed" for each in tries if each.state in ("passed", "failed")]
    how = run.over_trials
    return OfRecord(tries, over_trials(scores, how), record_passes(passes, how))
