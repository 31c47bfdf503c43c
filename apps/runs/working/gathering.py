"""The records of a chunk, each with what it already has."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from apps.jobs.models import MAX_DELIVERIES
from apps.runs.contracts import Held
from apps.runs.engine.items import Item
from apps.runs.models import Chunk, Result, Run, Score

from .carrying import held_of, is_answered

Pair = tuple[int, int]
_HELD_BEFORE = (Run.Kind.REGRADE, Run.Kind.RETRY)
_PLACE = ("pk", "ordinal", "trial")


def items_of(run: Run, chunk: Chunk) -> list[Item]:
    """What has no result yet; the items hold the answers of the run before, where they are only
    to be judged: in a regrade all, in a retry those whose judge or grader failed."""
    wanted = _without_result(run, chunk)
    ordinals = {ordinal for ordinal, _trial in wanted}
    rows = run.dataset_version.records.filter(ordinal__in=ordinals)
    records = {row[0]: row[1:] for row in rows.values_list("ordinal", "pk", "record_id", "payload")}
    answers = _answers(run, ordinals) if run.kind in _HELD_BEFORE else {}
    if run.kind == Run.Kind.REGRADE:
        wanted = [pair for pair in wanted if pair in answers]
    items = [_item(run, chunk, pair, records[pair[0]], answers.get(pair)) for pair in wanted]
    return _turned(items, chunk.deliveries)


def imported_beside(run: Run, items: Sequence[Item]) -> dict[str, list[Score]]:
    """By item: the scores from elsewhere that its answer had in the run before."""
    if run.kind != Run.Kind.REGRADE:
        return {}
    ordinals = {item.ordinal for item in items}
    results = Result.objects.filter(run=run.parent_id, ordinal__in=ordinals)
    keys = {pk: f"{ordinal}.{trial}" for pk, ordinal, trial in results.values_list(*_PLACE)}
    beside: dict[str, list[Score]] = {}
    # by the results' keys: all scores of the run would have to be looked at otherwise
    for score in Score.objects.filter(result__in=list(keys), verdict="").order_by("pk"):
        beside.setdefault(keys[score.result_id], []).append(score)
    return beside


def _without_result(run: Run, chunk: Chunk) -> list[Pair]:
    pairs = [(ordinal, trial) for ordinal, trial in chunk.items]
    ordinals = {ordinal for ordinal, _trial in pairs}
    found = Result.objects.filter(run=run, ordinal__in=ordinals)
    finished = set(found.values_list("ordinal", "trial"))
    return [pair for pair in pairs if pair not in finished]


def _answers(run: Run, ordinals: set[int]) -> dict[Pair, Result]:
    results = Result.objects.filter(run=run.parent_id, ordinal__in=ordinals)
    return {(result.ordinal, result.trial): result for result in results if is_answered(result)}


def _item(
    run: Run, chunk: Chunk, pair: Pair, record: tuple[int, str, str], answer: Result | None
) -> Item:
    pk, record_id, payload = record
    key = f"{pair[0]}.{pair[1]}"
    return Item(
        ordinal=pair[0],
        trial=pair[1],
        record_pk=pk,
        record_id=record_id,
        payload=orjson.loads(payload),
        held=_held(chunk.held.get(key), answer),
        session_id=f"{run.pk}-{key}",
        carried=answer is not None,
        target_version_id=answer.target_version_id if answer else None,
    )


def _held(kept: Mapping[str, Any] | None, answer: Result | None) -> Held:
    """What the chunk kept of an earlier delivery comes before what another run found."""
    if kept is not None:
        return Held.model_validate(kept)
    return Held() if answer is None else held_of(answer)


def _turned(items: list[Item], deliveries: int) -> list[Item]:
    """Begin elsewhere each time: a record that kills its worker does not take the others along."""
    first = len(items) * (deliveries - 1) // MAX_DELIVERIES
    return items[first:] + items[:first]
