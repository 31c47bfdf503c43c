"""The records of a chunk, each with what it already has."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from apps.jobs.models import MAX_DELIVERIES

from .carrying import held_of, is_answered
from .contracts import Held
from .items import Item
from .models import Chunk, Result, Run, Score

Pair = tuple[int, int]


def items_of(run: Run, chunk: Chunk) -> list[Item]:
    """What has no result yet; a regrade's items hold the answers of the run before."""
    wanted = _without_result(run, chunk)
    ordinals = {ordinal for ordinal, _trial in wanted}
    rows = run.dataset_version.records.filter(ordinal__in=ordinals)
    records = {row[0]: row[1:] for row in rows.values_list("ordinal", "pk", "record_id", "payload")}
    answers = _answers(run, ordinals) if run.kind == Run.Kind.REGRADE else None
    items = []
    for pair in wanted:
        if answers is None or pair in answers:
            pk, record_id, payload = records[pair[0]]
            item = Item(*pair, pk, record_id, orjson.loads(payload))
            item.session_id = f"{run.pk}-{item.key}"
            _hold(item, chunk.held, answers[pair] if answers else None)
            items.append(item)
    return _turned(items, chunk.deliveries)


def imported_beside(run: Run, items: Sequence[Item]) -> dict[str, list[Score]]:
    """By item: the scores from elsewhere that its answer had in the run before."""
    if run.kind != Run.Kind.REGRADE:
        return {}
    ordinals = {item.ordinal for item in items}
    scores = Score.objects.filter(
        run=run.parent_id, verdict="", result__ordinal__in=ordinals
    ).select_related("result")
    beside: dict[str, list[Score]] = {}
    for score in scores.order_by("pk"):
        beside.setdefault(f"{score.result.ordinal}.{score.result.trial}", []).append(score)
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


def _hold(item: Item, held: Mapping[str, Any], answer: Result | None) -> None:
    """What the chunk kept of an earlier delivery comes before what another run found."""
    if item.key in held:
        item.held = Held.model_validate(held[item.key])
    elif answer is not None:
        item.held = held_of(answer)
    if answer is not None:
        item.carried, item.target_version_id = True, answer.target_version_id


def _turned(items: list[Item], deliveries: int) -> list[Item]:
    """Begin elsewhere each time: a record that kills its worker does not take the others along."""
    first = len(items) * (deliveries - 1) // MAX_DELIVERIES
    return items[first:] + items[:first]
