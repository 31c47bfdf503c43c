"""Asking for a step of a campaign: now, once, and again where it is under way."""

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from apps.jobs.asking import ask_again, by_a_worker
from apps.jobs.models import JobState

from .models import CampaignStep


def ask_for(campaign_id: str, name: CampaignStep.Name) -> None:
    """Have the step done soon; one that runs, runs again."""
    rows = CampaignStep.objects.filter(campaign=campaign_id, name=name)
    with transaction.atomic():
        CampaignStep.objects.get_or_create(campaign_id=campaign_id, name=name)
        rows.update(asked_at=Now())
        have_done_soon(rows)
        by_a_worker(CampaignStep)


def asked_meanwhile(step: CampaignStep) -> bool:
    """Whether it was asked for since it began; until the transaction ends, nobody asks for it."""
    rows = CampaignStep.objects.filter(pk=step.pk).select_for_update(no_key=True)
    return rows.values_list("asked_at", flat=True).get() > step.asked_at


def have_done_soon(rows: QuerySet[CampaignStep]) -> None:
    """What waits and what has ended; not what runs."""
    rows.filter(state=JobState.PENDING).update(not_before=Now())
    ask_again(rows)
