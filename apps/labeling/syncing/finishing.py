"""The end of a sync: how far it was read, and what could not be kept."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from apps.labeling.desk.protocol import Desk, DeskDown, DeskRefused
from apps.labeling.models import Campaign, Queue

from .contracts import Heard, Lost, Stray, Synced
from .hearing import heard, remember
from .reading import Reading
from .sitting import Sitting

MOST_STRAYS = 1_000
LONG = timedelta(seconds=1)
REST = 3
"""Times as long as a long reading took, Argilla is left alone: it reads every record for one."""


class Round(NamedTuple):
    """What was read; what was known when it began, and when that was; `whole`: everything."""

    readings: Sequence[Reading]
    known: Heard
    began: datetime
    whole: bool

    @property
    def synced(self) -> Synced:
        return sum((reading.synced for reading in self.readings), Synced())


class _Strays(NamedTuple):
    """`unnamed`: why their people go by what Argilla's database calls them."""

    listed: Sequence[Stray]
    unnamed: str = ""


def finish(sitting: Sitting, done: Round, desk: Desk) -> Synced:
    strays = _named([stray for reading in done.readings for stray in reading.strays], desk)
    with transaction.atomic():
        sitting.hold()
        for reading in done.readings:
            _advance(reading)
        now_known = heard(sitting.campaign)
        news = {
            **_moments(done, now_known),
            **_strays(done, now_known, strays),
            **_lost(done, now_known),
        }
        remember(sitting.campaign, now_known.model_copy(update=news))
        Campaign.objects.filter(pk=sitting.campaign.pk).update(synced_at=Now())
    return done.synced


def _advance(reading: Reading) -> None:
    """Unless the queue was read further since, or is in another dataset now."""
    queue = reading.place.queue
    if reading.newest is not None:
        behind = Q(seen_through=None) | Q(seen_through__lt=reading.newest)
        rows = Queue.objects.filter(behind, pk=queue.pk, dataset_id=queue.dataset_id)
        rows.update(seen_through=reading.newest)


def _moments(done: Round, now_known: Heard) -> dict[str, Any]:
    """Whoever asked for everything after this began is not served by it."""
    now = timezone.now()
    took = now - done.began
    asked_meanwhile = now_known.wanted_at != done.known.wanted_at
    found = any(reading.found_anything for reading in done.readings)
    return {
        "read_at": done.began,
        "rests_until": now + REST * took if took > LONG else None,
        **({"whole_at": done.began} if done.whole and not asked_meanwhile else {}),
        **({"changed_at": now} if found or now_known.changed_at is None else {}),
    }


def _strays(done: Round, now_known: Heard, found: _Strays) -> dict[str, Any]:
    """All that there are, or those known before with what is new."""
    if done.whole:
        listed = tuple(found.listed[:MOST_STRAYS])
        return {"unknown": len(found.listed), "strays": listed, "unnamed": found.unnamed}
    before = {each.response_id: each for each in now_known.strays}
    both = before | {each.response_id: each for each in found.listed}
    return {
        "unknown": now_known.unknown + len(both) - len(before),
        "strays": tuple(both.values())[:MOST_STRAYS],
        "unnamed": found.unnamed or now_known.unnamed,
    }


def _lost(done: Round, now_known: Heard) -> dict[str, Any]:
    """Known only where everything was read; what another sync noted since stays noted."""
    if not done.whole:
        return {}
    restored = {each.place.queue.dataset_id: _restored(each, now_known) for each in done.readings}
    return {
        "lost": sum((each.lost for each in done.readings), Lost()),
        "restored": {key: moment for key, moment in restored.items() if moment},
        "whole_through": {
            each.place.queue.dataset_id: each.newest for each in done.readings if each.newest
        },
    }


def _restored(reading: Reading, now_known: Heard) -> datetime | None:
    noted = now_known.restored.get(reading.place.queue.dataset_id)
    return max((each for each in (reading.restored, noted) if each), default=None)


def _named(strays: Sequence[Stray], desk: Desk) -> _Strays:
    """With what Argilla calls these people, if it is still there to say so."""
    try:
        people = desk.people() if strays else {}
    except (DeskDown, DeskRefused) as error:
        return _Strays(strays, str(error))
    return _Strays(
        [
            each.model_copy(update={"person": people.get(each.person, each.person)})
            for each in strays
        ]
    )
