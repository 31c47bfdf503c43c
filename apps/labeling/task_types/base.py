"""What a task is: what is shown, what is asked, and which answers contradict each other."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from apps.contract import Contract
from apps.grading.subjects import Subject
from apps.labeling.plans import Asked, Language, Option, Plan

DISCARD_REASON = "discard_reason"
NOTES = "notes"
"""The two questions that stand in every queue beside a task's own."""

UNREASONED = "no_reason_given"
"""What is kept of a discard whose person gave no reason; the person is asked to add one."""

NONE_MET = "none"
"""The answer to a checklist by which no criterion is met."""


class Text(NamedTuple):
    """What people read, in each language; what is kept is the same in both."""

    en: str
    de: str

    def of(self, language: Language) -> str:
        return self.de if language == "de" else self.en


class Field(Contract):
    """One text that is shown of an item."""

    name: str
    title: str
    markdown: bool = False
    required: bool = True


class Constraint(Contract):
    """Two answers that cannot both be right: where `given` is yes, `needs` must be `to_be`."""

    id: str
    severity: Literal["block", "warn"]
    given: str
    needs: str
    to_be: bool

    def broken_by(self, labels: Mapping[str, str]) -> bool:
        wrong = "false" if self.to_be else "true"
        return labels.get(self.given) == "true" and labels.get(self.needs) == wrong


class Task(Contract):
    """One task. Its unit is the answer, or each chunk of its context.

    `task_type` is what its annotations are filed under; `prefix` begins the spec's item ids.
    `questions` are asked at the desk; `kept` are those that the answers are kept as, where they
    are others.
    """

    id: str
    task_type: str
    prefix: str
    title: str
    unit: Literal["answer", "chunk"] = "answer"
    fields: tuple[Field, ...]
    questions: tuple[Asked, ...]
    kept: tuple[Asked, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    shown: Callable[[Subject, str], dict[str, str] | None]
    """The texts of a subject (and the chunk's id); None where there is nothing to judge."""
    missing: str = ""
    """Why there may be nothing to judge, of an answer: "no retrieved passage"."""

    @property
    def rows(self) -> tuple[Asked, ...]:
        """The questions that its answers are kept as."""
        return self.kept or self.questions


TaskMaker = Callable[[Plan, int], Task]
"""From the plan, and how many criteria the longest checklist has."""

__all__ = ["Asked", "Constraint", "Field", "Option", "Task", "TaskMaker", "Text"]
