"""Breaches as rows: what somebody's answers break now, and no longer what they broke before."""

from collections.abc import Iterator, Sequence

from apps.labeling.models import Breach

from .constraints import Broken, broken, broken_ticks
from .sitting import Pair, Place, Said, Sitting

Key = tuple[int, str, str, str]
"""Of the item, its annotator, the constraint, and how it is broken."""


def write_breaches(sitting: Sitting, place: Place, said: Sequence[Said]) -> bool:
    """Whether any came or went; inside the caller's transaction."""
    found = {_key(row): row for each in said for row in _rows(sitting, place, each)}
    known = {_key(row): row for row in _known(place, {each.pair for each in said})}
    gone = [row.pk for key, row in known.items() if key not in found]
    new = [row for key, row in found.items() if key not in known]
    Breach.objects.filter(pk__in=gone).delete()
    Breach.objects.bulk_create(new)
    return bool(gone or new)


def _rows(sitting: Sitting, place: Place, said: Said) -> Iterator[Breach]:
    for each in _broken(sitting, place, said):
        yield Breach(
            item_id=said.item.pk,
            annotator=said.member.annotator,
            user_id=said.member.user_id,
            task_type=place.task.task_type,
            constraint=each.id,
            severity=each.severity,
            message=each.message,
        )


def _broken(sitting: Sitting, place: Place, said: Said) -> list[Broken]:
    if said.answer is None:
        return []
    task, severities = place.task, sitting.plan.severities
    ticks = broken_ticks(said.answer.ticked, said.item.criteria, task, severities)
    return [*broken(said.answer.labels, task, severities), *ticks]


def _known(place: Place, pairs: set[Pair]) -> list[Breach]:
    rows = Breach.objects.filter(
        task_type=place.task.task_type,
        item__in={item for item, _ in pairs},
        annotator__in={annotator for _, annotator in pairs},
    )
    return [row for row in rows if (row.item_id, row.annotator) in pairs]


def _key(row: Breach) -> Key:
    return row.item_id, row.annotator, row.constraint, row.message
