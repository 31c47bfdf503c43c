"""Answers that a resumed or retried run takes over from its parent."""

from collections.abc import Callable

from django.db import transaction
from django.db.models import QuerySet

from .models import Result, ResultStatus, Run, Score
from .upserts import RESULT_KEY, SCORE_KEY, upsert
from .walking import windows

Pair = tuple[int, int]


def carry_answers(run: Run, beat: Callable[[], None]) -> set[Pair]:
    """Copy the parent's kept results and scores; the (ordinal, trial) pairs need no asking.

    Each window is a transaction that `beat` fences, so whoever starts over goes on behind it.
    """
    if not run.parent_id:
        return set()
    carried = set(run.results.values_list("ordinal", "trial"))
    for window in windows(
        kept_results(run.parent_id, run.kind), "ordinal", run.dataset_version.total
    ):
        batch = [result for result in window if (result.ordinal, result.trial) not in carried]
        with transaction.atomic():
            beat()
            _copy(run, batch)
        carried |= {(result.ordinal, result.trial) for result in batch}
    return carried


def kept_results(parent_id: str, kind: str) -> QuerySet[Result]:
    """A resumed run keeps all that ended, a retried one what succeeded."""
    results = Result.objects.filter(run=parent_id).order_by("trial")
    if kind == Run.Kind.RETRY:
        return results.filter(status=ResultStatus.COMPLETED)
    return results.exclude(status=ResultStatus.CANCELLED)


def _copy(run: Run, batch: list[Result]) -> None:
    """Insert the results as the run's own, then their scores under the new results' keys."""
    scores = list(Score.objects.filter(result__in=[result.pk for result in batch]))
    places = {result.pk: (result.ordinal, result.trial) for result in batch}
    for result in batch:
        result.run_id, result.carried = run.pk, True
    upsert(batch, key=RESULT_KEY)
    ordinals = [result.ordinal for result in batch]
    copies = run.results.filter(ordinal__in=ordinals).values_list("ordinal", "trial", "pk")
    keys = {(ordinal, trial): pk for ordinal, trial, pk in copies}
    for score in scores:
        score.run_id, score.result_id = run.pk, keys[places[score.result_id]]
    upsert(scores, key=SCORE_KEY)
