"""What happens to a campaign: preparing, pushing, syncing, analysing."""

from collections.abc import Callable

from django.db import transaction

from apps.jobs.leases import Lease
from apps.jobs.models import JobState

from .analysing import analyse
from .models import Campaign, CampaignStep
from .nudging import asked_meanwhile, have_done_soon
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
        if asked_meanwhile(step):
            lease.close(JobState.PENDING)
            have_done_soon(CampaignStep.objects.filter(pk=step.pk))
        else:
            lease.close()


def give_up(step: CampaignStep, error: str) -> None:
    """A campaign that cannot be prepared or pushed has failed; the rest is tried when asked.

    Inside the transaction in which the step fails.
    """
    if asked_meanwhile(step):
        have_done_soon(CampaignStep.objects.filter(pk=step.pk))
    elif step.name in (CampaignStep.Name.PREPARE, CampaignStep.Name.PUSH):
        waiting = Campaign.objects.filter(pk=step.campaign_id, state=Campaign.State.PREPARING)
        waiting.update(state=Campaign.State.FAILED)
