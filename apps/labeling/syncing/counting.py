"""How many answers to a record count, and how many people have said why they cannot."""

from collections.abc import Collection
from typing import Any, NamedTuple

from django.db.models import Count, Q

from apps.labeling.members.people import able_in
from apps.labeling.models import Annotation, Campaign, DeskRecord
from apps.labeling.models.annotations import contradicts_itself
from apps.runs.walking import batches

from .sitting import Place, places_of


class _Count(NamedTuple):
    submitted: int = 0
    discarded: int = 0


def count_for_everybody(campaign: Campaign) -> None:
    """Count the calibration share anew, where others are asked; in the caller's transaction."""
    for place in places_of(campaign):
        if place.queue.calibration:
            items = place.queue.records.values_list("item", flat=True)
            for batch in batches(items):
                count_answers(place, batch)


def count_answers(place: Place, items: Collection[int]) -> None:
    """Count anew those records of the queue that show these items; in the caller's transaction."""
    counts = _counts(place, items)
    records = DeskRecord.objects.filter(queue=place.queue, item__in=items)
    stale = [each for each in records if _of(each) != counts.get(each.item_id, _Count())]
    for each in stale:
        each.submitted, each.discarded = counts.get(each.item_id, _Count())
    DeskRecord.objects.bulk_update(stale, _Count._fields, batch_size=200)


def _counts(place: Place, items: Collection[int]) -> dict[int, _Count]:
    rows = Annotation.objects.filter(item__in=items, question__in=place.questions.values())
    if place.queue.calibration:  # it waits for all who label, not for as many
        rows = rows.of_who_is_among(able_in(place.queue.campaign))
    counted = rows.values_list("item").annotate(
        submitted=_people(~Q(label="") & ~Q(contradicts_itself())),
        discarded=_people(~Q(discard_reason="")),
    )
    return {item: _Count(submitted, discarded) for item, submitted, discarded in counted}


def _people(condition: Q) -> Any:
    return Count("annotator", distinct=True, filter=condition)


def _of(record: DeskRecord) -> _Count:
    return _Count(record.submitted, record.discarded)
