"""What people are asked, one module a family of tasks. Pure."""

from apps.labeling.plans import Plan, TaskId

from . import binary, full, further
from .base import Task, TaskMaker
from .showing import MOST_CRITERIA

MAKERS: dict[TaskId, TaskMaker] = {
    "retrieval": binary.retrieval,
    "grounding": binary.grounding,
    "relevance": binary.relevance,
    "retrieval_full": full.retrieval,
    "grounding_full": full.grounding,
    "generation": full.generation,
    "rubric": further.rubric,
    "reference": further.reference,
    "own": further.own,
}

__all__ = ["MAKERS", "MOST_CRITERIA", "task", "tasks_of"]


def task(plan: Plan, task_id: TaskId, criteria: int = MOST_CRITERIA) -> Task:
    """One task in the plan's language; `criteria` of the longest checklist of the campaign."""
    return MAKERS[task_id](plan, criteria)


def tasks_of(plan: Plan, criteria: int = MOST_CRITERIA) -> tuple[Task, ...]:
    return tuple(task(plan, task_id, criteria) for task_id in plan.tasks)
