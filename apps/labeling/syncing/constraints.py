"""Answers that contradict themselves: between two questions, or within a checklist. Pure."""

from collections.abc import Iterator, Mapping
from typing import Literal

from apps.contract import Contract
from apps.labeling.plans import Severity
from apps.labeling.task_types.base import NONE_MET, Constraint, Task

from .answers import beyond

NONE_STANDS_ALONE = "none_stands_alone"
CRITERIA_EXIST = "criteria_exist"
"""The constraints of checklists; both block, unless a plan says otherwise."""

Labels = Mapping[str, str]
Severities = Mapping[str, Severity]


class Broken(Contract):
    """One constraint that somebody's answers to one item break, and how."""

    id: str
    severity: Literal["block", "warn"]
    message: str


def broken(labels: Labels, task: Task, severities: Severities | None = None) -> list[Broken]:
    """What one person's labels of an item break, by the names of the task's questions.

    At sync and at export: `retrieval: evidence_sufficient=True but topically_relevant=False`.
    """
    wrong = [each for each in task.constraints if each.broken_by(labels)]
    found = (_broken(each.id, each.severity, _told(each, task), severities) for each in wrong)
    return [each for each in found if each]


def broken_ticks(
    ticked: tuple[str, ...], criteria: int, task: Task, severities: Severities | None = None
) -> list[Broken]:
    """What the choice in a checklist breaks, for a record of so many criteria."""
    told = _told_of_ticks(ticked, criteria)
    found = (_broken(id_, "block", f"{task.task_type}: {why}", severities) for id_, why in told)
    return [each for each in found if each]


def _broken(
    constraint: str, usual: Severity, message: str, severities: Severities | None
) -> Broken | None:
    severity = (severities or {}).get(constraint, usual)
    return None if severity == "off" else Broken(id=constraint, severity=severity, message=message)


def _told(constraint: Constraint, task: Task) -> str:
    wrong = not constraint.to_be
    return f"{task.task_type}: {constraint.given}=True but {constraint.needs}={wrong}"


def _told_of_ticks(ticked: tuple[str, ...], criteria: int) -> Iterator[tuple[str, str]]:
    numbers = [each for each in ticked if each != NONE_MET]
    if NONE_MET in ticked and numbers:
        yield NONE_STANDS_ALONE, f"none is chosen together with {', '.join(numbers)}"
    if missing := beyond(ticked, criteria):
        listed = ", ".join(map(str, missing))
        yield CRITERIA_EXIST, f"{listed} chosen, but the record has {criteria} criteria"
