"""What people said in Argilla becomes annotations; README.md beside this tells how."""

from datetime import datetime, timedelta

from django.db.models.functions import Now
from django.utils import timezone

from apps.jobs.leases import Lease
from apps.jobs.models import JobState
from apps.labeling.desk import desks
from apps.labeling.desk.protocol import Desk, DeskDown, DeskRefused
from apps.labeling.members import people
from apps.labeling.models import Campaign, CampaignStep

from .contracts import Heard, Stray, Synced
from .finishing import Round, finish
from .hearing import ask_for_all, heard
from .reading import Reading, standing
from .sitting import places_of, sit

__all__ = ["Heard", "Stray", "Synced", "ask_for_all", "heard", "sync", "sync_now"]

EVERYTHING_EVERY = timedelta(minutes=5)
SOONEST, LATEST = timedelta(seconds=15), timedelta(seconds=60)
"""Between two looks at a campaign that asks: the longer nothing came, the longer."""

DOWN_SOONEST, DOWN_LATEST = timedelta(seconds=5), timedelta(seconds=120)
"""Between two tries while Argilla is away."""


def sync(step: CampaignStep, lease: Lease) -> None:
    """One look, and the next one planned while the campaign asks."""
    campaign = Campaign.objects.select_related("run__workspace").get(pk=step.campaign_id)
    known, now = heard(campaign), timezone.now()
    if rest := _rest(campaign, known, now):
        lease.close(JobState.PENDING, not_before=Now() + rest)
        return
    try:
        sync_now(campaign, whole=_is_time_for_all(campaign, known, now), lease=lease)
    except (DeskDown, DeskRefused) as error:
        _try_again(campaign, lease, now, error)
    else:
        _go_on(campaign, lease, now)


def sync_now(
    campaign: Campaign,
    desk: Desk | None = None,
    *,
    whole: bool = True,
    lease: Lease | None = None,
) -> Synced:
    """Read what people answered, keep it, and have the numbers computed anew where it is news.

    `whole` reads everything and so notices what was deleted. DeskDown and DeskRefused rise; what
    was kept until then stays.
    """
    desk, began = desk or desks.current(), timezone.now()
    sitting, places = sit(campaign, lease), places_of(campaign)
    known = heard(campaign)  # after how far it was read: another sync may end between the two
    readings = [
        Reading(sitting, place, known.restored.get(place.queue.dataset_id)) for place in places
    ]
    for reading in readings:
        stood = standing(sitting, reading.place) if whole else {}
        reading.read(desk, None if whole else known.unread_since(reading.newest))
        reading.take_back(desk, stood, known.whole_through.get(reading.place.queue.dataset_id))
    synced = finish(sitting, Round(readings, known, began, whole), desk)
    if whole:
        people.keep_names(campaign, desk)
    return synced


def _rest(campaign: Campaign, known: Heard, now: datetime) -> timedelta | None:
    """How long Argilla is left alone; not where a lead waits, or for the last time."""
    if not (campaign.asks and known.whole_at and known.rests_until):
        return None
    return min(known.rests_until - now, LATEST) if now < known.rests_until else None


def _is_time_for_all(campaign: Campaign, known: Heard, now: datetime) -> bool:
    last = known.whole_at
    return not campaign.asks or last is None or now - last >= EVERYTHING_EVERY


def _go_on(campaign: Campaign, lease: Lease, now: datetime) -> None:
    if not campaign.asks:
        lease.close(error="")
        return
    quiet = now - (heard(campaign).changed_at or now)
    pause = min(max(quiet / 10, SOONEST), LATEST)
    lease.close(JobState.PENDING, not_before=Now() + pause, error="")


def _try_again(campaign: Campaign, lease: Lease, now: datetime, error: Exception) -> None:
    """Pauses grow with the time that Argilla is away; what it refuses once more only if asked."""
    if isinstance(error, DeskRefused) and not campaign.asks:
        lease.close(JobState.FAILED, error=str(error))
        return
    away = now - (campaign.synced_at or now)
    pause = min(max(away, DOWN_SOONEST), DOWN_LATEST)
    lease.close(JobState.PENDING, not_before=Now() + pause, error=str(error))
