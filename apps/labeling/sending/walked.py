"""How far a turn came in a sample: answers with nothing to ask leave no item that tells it."""

from collections.abc import Sequence
from hashlib import sha256

from django.db import transaction
from django.utils import timezone

from apps.jobs.leases import Lease
from apps.labeling.making.sampling import Draw
from apps.labeling.models import Campaign, Report

WALKED = "walked"


def walked_to(campaign: Campaign, order: Sequence[Draw]) -> int:
    """The place where the next turn goes on; the first where the order has become another."""
    report = Report.objects.filter(campaign=campaign, kind=WALKED).first()
    if report is None or report.body["order"] != _digest(order):
        return 0
    return int(report.body["place"])


def note_walked(campaign: Campaign, order: Sequence[Draw], place: int, lease: Lease) -> None:
    told = {"body": {"order": _digest(order), "place": place}, "as_of": timezone.now()}
    with transaction.atomic():
        lease.require()
        Report.objects.update_or_create(campaign=campaign, kind=WALKED, defaults=told)


def forget_walked(campaign: Campaign) -> None:
    Report.objects.filter(campaign=campaign, kind=WALKED).delete()


def _digest(order: Sequence[Draw]) -> str:
    """Of the answers in their order: other gold items are shuffled among the others otherwise."""
    return sha256(",".join(str(each.key) for each in order).encode()).hexdigest()
