"""Asking for a step of a campaign: now, once, and again where it is under way."""

from django.db import transaction
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
        rows.filter(state=JobState.PENDING).update(not_before=Now())
        ask_again(rows)
        by_a_worker(CampaignStep)
