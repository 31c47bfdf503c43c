"""A campaign's records on their way to Argilla: by their ids, in batches, from where it was left.

First who may enter, then the datasets, then what was not yet pushed, 500 records a request. A
batch is marked when the server has it: whoever starts over sends at most that one again, and it
replaces itself. While the server is down the step waits; what it refuses fails the campaign.
"""

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now

from apps.accounts.services import record as audit
from apps.jobs.leases import Lease, LeaseLost
from apps.jobs.models import JobState
from apps.labeling.desk import desks
from apps.labeling.desk.protocol import BATCH, Desk, DeskDown, DeskRefused
from apps.labeling.members import people
from apps.labeling.models import Annotation, Campaign, CampaignStep, DeskRecord, Queue
from apps.labeling.nudging import ask_for, asked_meanwhile

from .cards import Cards, dataset_name, shape_of, task_of
from .turns import Turn

AGAIN_SECONDS = 10
PUSHED = (Campaign.State.PREPARING, Campaign.State.OPEN)
LONGEST_ERROR = 2_000


def push(step: CampaignStep, lease: Lease) -> None:
    """May run at any time: what is there already is left as it is."""
    campaign = Campaign.objects.select_related("workspace").get(pk=step.campaign_id)
    try:
        desk = desks.current()
        _let_in(campaign, desk)
        if campaign.state not in PUSHED:
            ask_for(campaign.pk, CampaignStep.Name.SYNC)
            return
        finished = _push(campaign, desk, lease)
    except DeskDown as down:
        again = Now() + timedelta(seconds=AGAIN_SECONDS)
        lease.close(JobState.PENDING, not_before=again, error=str(down)[:LONGEST_ERROR])
    except DeskRefused as refused:
        _fail(step, campaign, str(refused), lease)
    else:
        _open(campaign, lease) if finished else lease.close(JobState.PENDING, not_before=Now())


def _let_in(campaign: Campaign, desk: Desk) -> None:
    """Exactly those who label; nobody where answers are no longer awaited."""
    if campaign.state in PUSHED:
        people.let_in(campaign, desk)
    else:
        desk.let_in(campaign.desk_name, [])


def _push(campaign: Campaign, desk: Desk, lease: Lease) -> bool:
    """False where the turn was over before everything was there."""
    turn, cards = Turn(), Cards(campaign)
    queues = campaign.queues.select_related("campaign").order_by("pk")
    for queue in queues:
        asked = task_of(queue)
        if not queue.dataset_id:
            queue.dataset_id = desk.dataset(
                campaign.desk_name, dataset_name(queue), shape_of(queue, asked)
            )
            Queue.objects.filter(pk=queue.pk).update(dataset_id=queue.dataset_id)
        desk.wait_for(queue.dataset_id, _awaited(queue))
        while batch := _not_yet_pushed(queue):
            if turn.is_over():
                return False
            desk.put(queue.dataset_id, cards.of(asked, batch))
            _mark(campaign, batch, lease)
    return True


def _awaited(queue: Queue) -> int:
    """How many answers a record waits for in Argilla, which takes those of anybody.

    So what somebody said who has left must not end the calibration share for who came.
    """
    if not queue.calibration:
        return queue.min_submitted
    said = Annotation.objects.filter(item__desk_records__queue=queue, user__isnull=False)
    gone = said.exclude(user__in=people.able_in(queue.campaign))
    return queue.min_submitted + gone.values("user").distinct().count()


def _not_yet_pushed(queue: Queue) -> Sequence[DeskRecord]:
    rows = queue.records.filter(pushed_at=None).order_by("pk")
    return list(rows.select_related("item__result__record", "item__result__run")[:BATCH])


def _mark(campaign: Campaign, batch: Sequence[DeskRecord], lease: Lease) -> None:
    every = DeskRecord.objects.filter(queue__campaign=campaign)
    with transaction.atomic():
        lease.require()
        every.filter(pk__in=[record.pk for record in batch]).update(pushed_at=Now())
    done, total = every.exclude(pushed_at=None).count(), every.count()
    if not lease.renew(done=done, total=total, error=""):
        raise LeaseLost


def _open(campaign: Campaign, lease: Lease) -> None:
    """All is there: people may begin."""
    waiting = Campaign.objects.filter(pk=campaign.pk, state=Campaign.State.PREPARING)
    with transaction.atomic():
        lease.require()
        lease.renew(error="")
        if waiting.update(state=Campaign.State.OPEN, opened_at=Now()):
            audit(
                workspace=campaign.workspace,
                actor=None,
                verb="campaign.opened",
                obj=campaign,
                via="worker",
            )
            ask_for(campaign.pk, CampaignStep.Name.SYNC)


def _fail(step: CampaignStep, campaign: Campaign, reason: str, lease: Lease) -> None:
    """An open campaign stays open: what is refused is told on its page.

    Nothing fails that was asked for meanwhile, nor a campaign that was tried again only since.
    """
    waiting = Campaign.objects.filter(pk=campaign.pk, state=Campaign.State.PREPARING)
    with transaction.atomic():
        lease.require()
        if asked_meanwhile(step):
            return
        if campaign.state == Campaign.State.PREPARING:
            waiting.update(state=Campaign.State.FAILED)
        lease.close(JobState.FAILED, error=reason[:LONGEST_ERROR])
