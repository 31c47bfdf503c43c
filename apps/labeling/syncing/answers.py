"""What a response from the desk says: a label, or a reason, for each question of its task. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from apps.contract import Contract
from apps.labeling.desk.protocol import Response
from apps.labeling.plans import Asked
from apps.labeling.task_types.base import DISCARD_REASON, NOTES, UNREASONED, Task

BETWEEN = "; "
"""What stands between several options that make one label."""


class Answer(Contract):
    """`labels` by the names of questions, without those left empty; a discard has a reason instead.

    `ticked` is what was chosen in a checklist, as it was chosen.
    """

    labels: dict[str, str] = {}
    discard_reason: str = ""
    notes: str = ""
    ticked: tuple[str, ...] = ()


def answer_of(response: Response, task: Task, criteria: int = 0) -> Answer | None:
    """None for a draft, which says nothing yet. `criteria` is how many the item's record has."""
    values = response.values
    notes = _text(values.get(NOTES))
    if response.status == "draft":
        return None
    if response.status == "discarded":
        return Answer(discard_reason=_text(values.get(DISCARD_REASON)) or UNREASONED, notes=notes)
    if not task.kept:
        return Answer(labels=dict(_labels(task, values)), notes=notes)
    ticked = tuple(map(str, values.get(task.questions[0].key) or ()))
    return Answer(labels=_met(ticked, criteria), notes=notes, ticked=ticked)


def names_of(task: Task, criteria: int = 0) -> list[str]:
    """The questions that an item is asked: of a checklist as many as its record has criteria."""
    if not task.kept:
        return [asked.name for asked in task.questions]
    return [_criterion(number) for number in range(1, criteria + 1)]


def beyond(ticked: tuple[str, ...], criteria: int) -> list[int]:
    """The numbers of a checklist that the item's record does not have."""
    numbers = (int(each) for each in ticked if each.isdecimal())
    return sorted(number for number in numbers if number > criteria)


def _labels(task: Task, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for asked in task.questions:
        label = _label(asked, values.get(asked.key))
        if label:
            yield asked.name, label


def _label(asked: Asked, value: Any) -> str:
    if not isinstance(value, list | tuple):
        return _text(value)
    order = [option.value for option in asked.options]
    chosen = map(str, value)
    return BETWEEN.join(sorted(chosen, key=lambda each: order.index(each) if each in order else -1))


def _met(ticked: tuple[str, ...], criteria: int) -> dict[str, str]:
    if not ticked:
        return {}
    numbers = range(1, criteria + 1)
    return {_criterion(each): "true" if str(each) in ticked else "false" for each in numbers}


def _criterion(number: int) -> str:
    return f"criterion-{number}"


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()
