"""The numbers of a campaign and what has to be reviewed."""

from django.db import transaction
from django.utils import timezone

from apps.jobs.leases import Lease
from apps.labeling.models import Campaign, CampaignStep, Report
from apps.labeling.settling.raising import review_what_labels_ask
from apps.labeling.settling.truth import truths

from .contracts import Measured
from .scales import recognise
from .worst import WORST, worst_of


def analyse(step: CampaignStep, lease: Lease) -> None:
    """Measure all labels as they are now, store the numbers, raise and withdraw reviews.

    The same labels give the same numbers.
    """
    from .measuring import measure  # pandas takes most of a second

    campaign = Campaign.objects.select_related("run").get(pk=step.campaign_id)
    as_of = timezone.now()
    if campaign.kind == Campaign.Kind.IMPORT:
        recognise(campaign)
    found = truths(campaign)
    measured = measure(campaign, found, lease)
    with transaction.atomic():
        lease.require()
        for kind, body in _reports(measured):
            told = {"body": body, "as_of": as_of}
            Report.objects.update_or_create(campaign=campaign, kind=kind, defaults=told)
        review_what_labels_ask(campaign, found)


def _reports(measured: Measured) -> list[tuple[str, object]]:
    """Their kinds and bodies."""
    worst = worst_of(measured.agreement).model_dump(mode="json")
    return [*measured.model_dump(mode="json").items(), (WORST, worst)]
