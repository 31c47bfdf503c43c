"""Who labels now: queues, counts and numbers follow whoever came or left, by whichever door."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from apps.labeling.members.people import able, able_in
from apps.labeling.models import Campaign, CampaignStep, Report
from apps.labeling.nudging import ask_for
from apps.labeling.syncing.counting import count_for_everybody

KIND = "labelling"
EVERY = timedelta(seconds=15)


def follow_people(now: datetime) -> None:
    """A chore: wherever others can label than at the last look, nobody waits for who left.

    Accounts are switched off and members leave without a word to this chapter.
    """
    for campaign in _followed_by_nobody():
        with transaction.atomic():
            Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
            if wait_for_who_labels(campaign):
                have_others_follow(campaign)


def wait_for_who_labels(campaign: Campaign) -> bool:
    """Whether others label than when this was last asked; in a transaction that holds it."""
    labelling = sorted(able_in(campaign).values_list("pk", flat=True))
    known = Report.objects.filter(campaign=campaign, kind=KIND).first()
    if known and known.body == labelling:
        return False
    for queue in campaign.queues.all():
        queue.min_submitted = campaign.planned.awaited(
            len(labelling), by_everybody=queue.calibration
        )
        queue.save(update_fields=["min_submitted"])
    count_for_everybody(campaign)
    told = {"body": labelling, "as_of": timezone.now()}
    Report.objects.update_or_create(campaign=campaign, kind=KIND, defaults=told)
    return True


def have_others_follow(campaign: Campaign) -> None:
    """The numbers; and Argilla, where the campaign is or is on its way to."""
    ask_for(campaign.pk, CampaignStep.Name.ANALYSE)
    if campaign.steps.filter(name=CampaignStep.Name.PUSH).exists():
        ask_for(campaign.pk, CampaignStep.Name.PUSH)


def _followed_by_nobody() -> Iterable[Campaign]:
    """The open ones whose people are others than was known; three queries."""
    asking = Campaign.objects.asking().filter(workspace__archived_at=None)
    labelling: defaultdict[str, list[int]] = defaultdict(list)
    for campaign, user in able().filter(campaign__in=asking).values_list("campaign", "user"):
        labelling[campaign].append(user)
    known = dict(
        Report.objects.filter(campaign__in=asking, kind=KIND).values_list("campaign", "body")
    )
    return [each for each in asking if known.get(each.pk) != sorted(labelling[each.pk])]
