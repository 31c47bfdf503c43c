"""Whether a campaign would have anything to ask, before it is made."""

from collections.abc import Iterator, Sequence

from apps.grading.subjects import Subject
from apps.labeling.plans import Plan
from apps.labeling.sending.subjects import Subjects
from apps.labeling.sending.units import units_of
from apps.labeling.task_types import tasks_of
from apps.labeling.task_types.base import Task
from apps.runs.models import Result, Run
from apps.runs.walking import batches

from .drawing import sample_of, shuffled
from .sampling import Draw

LOOKED_AT = 50_000
"""Answers at most, the largest sample; of more, all of a run, the rest is taken to be like them."""


def nothing_to_ask(run: Run, plan: Plan) -> str:
    """Why no task has an item, task by task; '' where one has."""
    draws, _told = sample_of(run, plan.sample)
    if not draws:
        return "No answer can be taken this way: choose another sample."
    tasks, first = tasks_of(plan), shuffled(draws, plan.sample.seed)[:LOOKED_AT]
    if any(_asks(tasks, subject) for subject in _subjects(first)):
        return ""
    reasons = [f"{task.title}: the answers have {task.missing or 'no text'}." for task in tasks]
    return " ".join(["The campaign would have no items.", *reasons])


def _asks(tasks: Sequence[Task], subject: Subject) -> bool:
    return any(True for task in tasks for _unit in units_of(task, subject))


def _subjects(draws: Sequence[Draw]) -> Iterator[Subject]:
    known = Subjects()
    for batch in batches(each.key for each in draws):
        for result in Result.objects.filter(pk__in=batch).select_related("record", "run"):
            yield known.of(result)
