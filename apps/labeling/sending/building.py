"""From drawn answers to items, each in the queues of its tasks."""

from collections.abc import Sequence

from apps.grading.subjects import Subject
from apps.labeling.making.hiding import Known
from apps.labeling.making.sampling import Draw
from apps.labeling.members.people import able_in
from apps.labeling.models import Campaign, DeskRecord, Item, Queue
from apps.labeling.task_types import MOST_CRITERIA, showing, tasks_of
from apps.labeling.task_types.base import Task
from apps.runs.models import Result

from .subjects import Subjects
from .units import is_for_everybody, pair_sha256, units_of

Wanted = list[tuple[Task, str]]
"""Tasks, each with a unit of the answer that it asks about."""


class Builder:
    """Builds the items of one campaign; what is there already is left as it is."""

    def __init__(self, campaign: Campaign, gold: Sequence[Known]) -> None:
        self._campaign = campaign
        self._plan = campaign.planned
        self._tasks = tasks_of(self._plan)
        self._subjects = Subjects()
        self._queues = _queues_of(campaign, self._tasks)
        self._gold: dict[int, list[Known]] = {}
        for each in gold:
            self._gold.setdefault(each.result, []).append(each)

    def add(self, draws: Sequence[Draw]) -> None:
        """Inside a transaction: the items of these answers, in their order."""
        found = Result.objects.filter(pk__in=[each.key for each in draws])
        results = {each.pk: each for each in found.select_related("record", "run")}
        items: list[Item] = []
        wanted: list[tuple[Item, Wanted]] = []
        for each in draws:
            for item, tasks in self._of(each, results[each.key]):
                items.append(item)
                wanted.append((item, tasks))
        Item.objects.bulk_create(items)
        DeskRecord.objects.bulk_create(
            DeskRecord(queue=self._queue(item, task), item=item)
            for item, tasks in wanted
            for task, _unit in tasks
        )

    def _of(self, drawn: Draw, result: Result) -> list[tuple[Item, Wanted]]:
        subject = self._subjects.of(result)
        by_unit: dict[str, Wanted] = {}
        for task, unit in self._wanted(drawn, subject):
            by_unit.setdefault(unit, []).append((task, unit))
        pair = pair_sha256(subject)
        return [(self._item(drawn, subject, pair, unit), tasks) for unit, tasks in by_unit.items()]

    def _wanted(self, drawn: Draw, subject: Subject) -> Wanted:
        """Of a hidden gold item only that for which the answer is known."""
        every = [(task, unit) for task in self._tasks for unit in units_of(task, subject)]
        known = self._gold.get(drawn.key)
        if known is None:
            return every
        only = {(each.task_type, each.chunk) for each in known}
        return [(task, unit) for task, unit in every if (task.task_type, unit) in only]

    def _item(self, drawn: Draw, subject: Subject, pair: str, unit: str) -> Item:
        listed = 0 if unit else min(len(showing.criteria(subject)), MOST_CRITERIA)
        return Item(
            campaign=self._campaign,
            result_id=drawn.key,
            chunk=unit,
            pair_sha256=pair,
            probability=drawn.probability,
            stratum=drawn.stratum,
            criteria=listed,
        )

    def _queue(self, item: Item, task: Task) -> Queue:
        everybody = is_for_everybody(
            item.pair_sha256,
            item.chunk,
            task.task_type,
            seed=self._plan.sample.seed,
            share=self._plan.calibration_share,
        )
        return self._queues[task.id, everybody]


def _queues_of(campaign: Campaign, tasks: Sequence[Task]) -> dict[tuple[str, bool], Queue]:
    """Both of each task; those that stay empty go when all is prepared."""
    plan, everybody = campaign.planned, able_in(campaign).count()
    Queue.objects.bulk_create(
        (
            Queue(
                campaign=campaign,
                task=task.id,
                calibration=calibration,
                min_submitted=plan.awaited(everybody, by_everybody=calibration),
            )
            for task in tasks
            for calibration in (True, False)
        ),
        ignore_conflicts=True,
    )
    return {(each.task, each.calibration): each for each in campaign.queues.all()}
