"""Answers that a run takes over from its parent."""

from collections.abc import Callable

from django.db import transaction
from django.db.models import QuerySet

from apps.runs.contracts import Held
from apps.runs.engine.turns import replies_of
from apps.runs.models import Result, ResultStatus, Run, Score
from apps.runs.walking import windows
from apps.targets.contracts import Reply, Usage

from .rows import MODEL
from .upserts import RESULT_KEY, SCORE_KEY, upsert

Pair = tuple[int, int]
BROKE = ("judge_failed", "grader_failed")
"""Causes of failures that may have an answer all the same."""


def carry_answers(run: Run, beat: Callable[[], None]) -> set[Pair]:
    """Copy the parent's kept results and scores; the (ordinal, trial) pairs need no asking.

    Each window is a transaction that `beat` fences, so whoever starts over goes on behind it.
    """
    if not run.parent_id:
        return set()
    carried = set(run.results.values_list("ordinal", "trial"))
    kept = kept_results(run.parent_id, run.kind)
    for window in windows(kept, "ordinal", run.dataset_version.total):
        batch = [result for result in window if _is_carried(run, result, carried)]
        with transaction.atomic():
            beat()
            _copy(run, batch)
        carried |= {(result.ordinal, result.trial) for result in batch}
    return carried


def kept_results(parent_id: str, kind: str) -> QuerySet[Result]:
    """A resumed run keeps all that ended, a retried one what succeeded; a regrade what has no
    answer, and which of these have one `is_answered` says."""
    results = Result.objects.filter(run=parent_id).order_by("trial")
    if kind == Run.Kind.REGRADE:
        return results.exclude(status=ResultStatus.COMPLETED)
    if kind == Run.Kind.RETRY:
        return results.filter(status=ResultStatus.COMPLETED)
    return results.exclude(status=ResultStatus.CANCELLED)


def is_answered(result: Result) -> bool:
    """Whether there is an answer to judge, be it that its judge or a grader failed."""
    kept = result.cause in BROKE and MODEL in (result.extra or {})
    return kept or result.status == ResultStatus.COMPLETED


def held_of(result: Result) -> Held:
    """The answer of a result, as if it had just been given; the judges are to be asked anew."""
    extra = result.extra or {}
    usage = Usage(
        input_tokens=result.input_tokens,
        output_tokens=result.output_tokens,
        total_tokens=result.total_tokens,
    )
    reply = Reply(
        text=result.response,
        latency_ms=result.latency_ms,
        usage=usage,
        cost=result.cost,
        model=extra.get(MODEL, ""),
        finish_reason=extra.get("finish_reason", ""),
    )
    return Held(
        target_attempts=result.attempts,
        answered_attempts=result.attempts,
        turns=replies_of(extra.get("turns", ())),
        first_attempt_at=result.first_attempt_at,
        last_attempt_at=result.last_attempt_at,
        reply=reply,
    )


def _is_carried(run: Run, result: Result, before: set[Pair]) -> bool:
    if run.kind == Run.Kind.REGRADE and is_answered(result):
        return False
    return (result.ordinal, result.trial) not in before


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
