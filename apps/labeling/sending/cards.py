"""What a campaign shows and asks at the desk: the shape of a queue, and its records as cards.

Nothing else of an item leaves: no score, no mark of gold, not whether it is for everybody.
"""

from collections.abc import Sequence
from typing import cast

from django.db.models import Count

from apps.datasets.sight import Sight
from apps.labeling.desk.protocol import Card, Shape
from apps.labeling.making.creating import slug_of
from apps.labeling.models import Campaign, DeskRecord, Queue
from apps.labeling.plans import TaskId
from apps.labeling.task_types import asking, task
from apps.labeling.task_types.base import Task, Text

from .subjects import Subjects

_TWO_PARTS = Text(
    "**This task has two parts:** {first} and {second} items. This is part {this}. When nothing is "
    "pending here any more, go on with part {other}: “My labelling” in EvalHub has a link to it.",
    "**Diese Aufgabe hat zwei Teile:** {first} und {second} Einträge. Das ist Teil {this}. Wenn "
    "hier nichts mehr offen ist, geht es mit Teil {other} weiter: „My labelling“ in EvalHub hat "
    "einen Link dorthin.",
)

NO_TEXT = "–"
"""Stands where a text was there when the item was built, and nothing of it may be shown."""


class Cards:
    """The cards of one campaign, as its workspace lets people see texts."""

    def __init__(self, campaign: Campaign) -> None:
        self._sight = Sight(campaign.workspace)
        self._subjects = Subjects()

    def of(self, asked: Task, records: Sequence[DeskRecord]) -> list[Card]:
        """The records with their items, results, records and runs at hand."""
        return [self._card(asked, record) for record in records]

    def _card(self, asked: Task, record: DeskRecord) -> Card:
        subject = self._subjects.of(record.item.result)
        texts = asked.shown(subject, record.item.chunk) or {}
        seen = {name: self._sight.text(text) for name, text in texts.items()}
        missing = {each.name: NO_TEXT for each in asked.fields if each.required}
        return Card(external_id=record.external_id, fields=missing | seen)


def task_of(queue: Queue) -> Task:
    """With as many criteria as the campaign's longest checklist has."""
    campaign = queue.campaign
    longest = campaign.questions.filter(task_type="rubric").count()
    return task(campaign.planned, cast("TaskId", queue.task), longest)


def shape_of(queue: Queue, asked: Task) -> Shape:
    campaign = queue.campaign
    return Shape(
        fields=asked.fields,
        questions=(*asked.questions, *asking.beside(campaign.planned.language)),
        guidelines=guidelines_of(queue),
        min_submitted=queue.min_submitted,
    )


def guidelines_of(queue: Queue) -> str:
    """What the lead wrote; where the task is in two parts, first that there is another.

    Argilla says of a part that nothing is pending, and nothing of the other.
    """
    campaign = queue.campaign
    counted = campaign.queues.filter(task=queue.task).annotate(items=Count("records"))
    parts = list(counted.filter(items__gt=0).order_by("-calibration"))
    if len(parts) < 2:
        return campaign.guidelines
    first, second = (f"`{dataset_name(part)}` ({part.items:,})" for part in parts)
    told = _TWO_PARTS.of(campaign.planned.language)
    note = told.format(first=first, second=second, this=queue.part, other=3 - queue.part)
    return f"{note}\n\n{campaign.guidelines}".strip()


def dataset_name(queue: Queue) -> str:
    """Its name in Argilla, which does not say which part everybody answers."""
    return f"{slug_of(queue.campaign)}-{queue.task}-{queue.part}"
