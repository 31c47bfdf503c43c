"""Which items a campaign has: drawn, built in batches, told of, and handed on to be pushed."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Count, Max, Q
from django.db.models.functions import Now
from django.utils import timezone

from apps.accounts.models import User
from apps.datasets.models import DatasetVersion
from apps.jobs.leases import Lease
from apps.jobs.models import JobState
from apps.labeling.making.drawing import Lot, sample_of, shuffled
from apps.labeling.making.hiding import Known, hidden_gold
from apps.labeling.making.sampling import Draw, TaskCount
from apps.labeling.models import Campaign, CampaignStep, DeskRecord, Question, Report
from apps.labeling.nudging import ask_for, asked_meanwhile
from apps.labeling.task_types import tasks_of
from apps.labeling.task_types.base import Task
from apps.runs.models import Run
from apps.runs.recorded.recording import recorded_run
from apps.runs.walking import batches

from .building import Builder
from .turns import Turn
from .walked import forget_walked, note_walked, walked_to

SAMPLE = "sample"
NOTHING = "None of the chosen answers has anything to judge in these tasks: {}."


def source_of(source: DatasetVersion | Run, *, by: User | None) -> Run:
    """The run whose answers are labelled; of a dataset version that of its own answers.

    Raises ValidationError where no record came with an answer.
    """
    return source if isinstance(source, Run) else recorded_run(source, by=by, now=timezone.now())


def prepare(step: CampaignStep, lease: Lease) -> None:
    """Begins anew where it was left; what is built stays. A second delivery changes nothing."""
    campaign = Campaign.objects.select_related("run", "workspace").get(pk=step.campaign_id)
    if campaign.state != Campaign.State.PREPARING:
        return
    plan = campaign.planned
    lot = sample_of(campaign.run, plan.sample)
    gold = hidden_gold(campaign, plan.sample, lot.draws)
    order = shuffled([*lot.draws, *_as_draws(gold)], plan.sample.seed)
    if not _build(campaign, gold, order, lease):
        lease.close(JobState.PENDING, not_before=Now(), total=len(order))
        return
    hidden = {"gold": len(gold), "gold_wanted": plan.sample.gold}
    _finish(step, campaign, lot._replace(told=lot.told.model_copy(update=hidden)), lease)


def _build(campaign: Campaign, gold: Sequence[Known], order: Sequence[Draw], lease: Lease) -> bool:
    """False where the turn was over before everything was built."""
    built, turn = set(campaign.items.values_list("result", flat=True)), Turn()
    builder, begin = Builder(campaign, gold), walked_to(campaign, order)
    rest = [at for at in range(begin, len(order)) if order[at].key not in built]
    done = len(order) - len(rest)
    for batch in batches(rest):
        if turn.is_over():
            note_walked(campaign, order, batch[0], lease)
            return False
        with transaction.atomic():
            lease.require()
            builder.add([order[at] for at in batch])
        done += len(batch)
        if not lease.renew(done=done, total=len(order)):
            return False
    return True


def _as_draws(gold: Sequence[Known]) -> list[Draw]:
    return [Draw(key, None) for key in sorted({each.result for each in gold})]


def _finish(step: CampaignStep, campaign: Campaign, lot: Lot, lease: Lease) -> None:
    tasks = tasks_of(campaign.planned, _longest_checklist(campaign))
    drawn = {each.key for each in lot.draws}
    counts = tuple(_count(campaign, task, drawn) for task in tasks)
    with transaction.atomic():
        lease.require()
        if not any(count.items for count in counts):
            _fail(step, counts, lease)
            return
        campaign.queues.filter(records=None).delete()
        forget_walked(campaign)
        _ask(campaign, tasks)
        Report.objects.update_or_create(
            campaign=campaign,
            kind=SAMPLE,
            defaults={
                "body": lot.told.model_copy(update={"tasks": counts}).model_dump(mode="json"),
                "as_of": timezone.now(),
            },
        )
        ask_for(campaign.pk, CampaignStep.Name.PUSH)


def _longest_checklist(campaign: Campaign) -> int:
    longest = campaign.items.aggregate(most=Max("criteria"))["most"]
    return longest or 0


def _count(campaign: Campaign, task: Task, drawn: set[int]) -> TaskCount:
    """The drawn answers that the task has nothing to ask about are those without."""
    records = DeskRecord.objects.filter(queue__campaign=campaign, queue__task=task.id)
    found = records.aggregate(
        items=Count("pk"), calibration=Count("pk", filter=Q(queue__calibration=True))
    )
    answers = records.values_list("item__result", flat=True).distinct()
    return TaskCount(
        task=task.id,
        title=task.title,
        items=found["items"],
        calibration=found["calibration"],
        without=len(drawn.difference(answers)),
        missing=task.missing,
    )


def _ask(campaign: Campaign, tasks: Sequence[Task]) -> None:
    rows = [(task, asked) for task in tasks for asked in task.rows]
    Question.objects.bulk_create(
        (
            Question(
                campaign=campaign,
                task_type=task.task_type,
                name=asked.name,
                title=asked.title,
                kind=asked.kind,
                options=[[option.value, option.title] for option in asked.options],
                level=asked.level,
                position=position,
            )
            for position, (task, asked) in enumerate(rows)
        ),
        ignore_conflicts=True,
    )


def _fail(step: CampaignStep, counts: Sequence[TaskCount], lease: Lease) -> None:
    if asked_meanwhile(step):
        return
    reasons = dict.fromkeys(count.missing for count in counts if count.missing)
    preparing = Campaign.objects.filter(pk=step.campaign_id, state=Campaign.State.PREPARING)
    preparing.update(state=Campaign.State.FAILED)
    lease.close(
        JobState.FAILED, error=NOTHING.format(", ".join(reasons) or "the answers are empty")
    )
