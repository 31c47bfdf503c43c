"""What happens to a campaign: preparing, pushing, syncing, analysing."""

from collections.abc import Callable

from django.db import transaction
from django.db.models.functions import Now

from apps.jobs.leases import Lease
from apps.jobs.models import JobState

from .analysing import analyse
from .models import Campaign, CampaignStep
from .sending.preparing import prepare
from .sending.pushing import push
from .syncing import sync

_WORK: dict[str, Callable[[CampaignStep, Lease], None]] = {
    CampaignStep.Name.PREPARE: prepare,
    CampaignStep.Name.PUSH: push,
    CampaignStep.Name.SYNC: sync,
    CampaignStep.Name.ANALYSE: analyse,
}
"""Each may close the lease itself, to go on later."""


def perform(step: CampaignStep, lease: Lease) -> None:
    _WORK[step.name](step, lease)
    with transaction.atomic():
        rows = CampaignStep.objects.filter(pk=step.pk)
        locked = rows.select_for_update(no_key=True).values_list("asked_at", flat=True)
        asked_meanwhile = locked.get() > step.asked_at
        if not asked_meanwhile:
            lease.close()
        elif not lease.close(JobState.PENDING, not_before=Now()):
            rows.filter(state=JobState.PENDING).update(not_before=Now())


def give_up(step: CampaignStep, error: str) -> None:
    """A campaign that cannot be prepared or pushed has failed; the rest is tried when asked."""
    if step.name in (CampaignStep.Name.PREPARE, CampaignStep.Name.PUSH):
        waiting = Campaign.objects.filter(pk=step.campaign_id, state=Campaign.State.PREPARING)
        waiting.update(state=Campaign.State.FAILED)
