"""What is known of a campaign's syncs, kept as a report of it."""

from django.db import transaction
from django.utils import timezone

from apps.labeling.models import Campaign, CampaignStep, Report
from apps.labeling.nudging import ask_for

from .contracts import Heard

KIND = "sync"


def heard(campaign: Campaign) -> Heard:
    row = Report.objects.filter(campaign=campaign, kind=KIND).first()
    return Heard.model_validate(row.body) if row else Heard()


def remember(campaign: Campaign, known: Heard) -> None:
    """Inside a transaction that holds the campaign."""
    Report.objects.update_or_create(
        campaign=campaign,
        kind=KIND,
        defaults={"body": known.model_dump(mode="json"), "as_of": timezone.now()},
    )


def ask_for_all(campaign: Campaign) -> None:
    """Have everything read again soon, so that what was deleted is noticed."""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).only("pk").get(pk=campaign.pk)
        asked = {"whole_at": None, "wanted_at": timezone.now()}
        remember(campaign, heard(campaign).model_copy(update=asked))
        ask_for(campaign.pk, CampaignStep.Name.SYNC)
