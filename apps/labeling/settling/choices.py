"""What a question can be answered with, and how an answer reads."""

from collections.abc import Sequence
from functools import cached_property

from django.db.models import Count

from apps.labeling.models import Annotation, Question
from apps.labeling.plans import Option
from apps.labeling.syncing.answers import BETWEEN
from apps.labeling.task_types.asking import NO, YES

MOST_GIVEN = 30
UNDECIDED = "Cannot be decided"
YES_OR_NO = (Option(value="true", title=YES.en), Option(value="false", title=NO.en))


class Choices:
    """The options of a question; of one that has none, the labels that people gave it.

    `is_free`: other answers of the same kind may be given too.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self.several = question.kind == Question.Kind.SEVERAL

    @cached_property
    def options(self) -> Sequence[Option]:
        """One query where the question says nothing of its options."""
        if self.question.options:
            return [Option(value=value, title=title) for value, title in self.question.options]
        if self.question.kind == Question.Kind.YES_NO:
            return YES_OR_NO
        return [] if self.question.kind == Question.Kind.TEXT else self._given()

    @property
    def is_free(self) -> bool:
        return not self.question.options and self.question.kind != Question.Kind.YES_NO

    @property
    def is_number(self) -> bool:
        return self.question.kind == Question.Kind.RATING

    def joined(self, chosen: Sequence[str]) -> str:
        """Several options as one label, in their order."""
        return BETWEEN.join(each.value for each in self.options if each.value in chosen)

    def parts(self, label: str) -> list[str]:
        return label.split(BETWEEN) if self.several else [label]

    def in_words(self, label: str) -> str:
        """As people read it; empty is what nobody can decide."""
        titles = {each.value: each.title for each in self.options}
        return ", ".join(titles.get(part, part) for part in self.parts(label)) or UNDECIDED

    def _given(self) -> list[Option]:
        rows = Annotation.objects.filter(question=self.question).labelled()
        counted = rows.values_list("label").annotate(n=Count("pk")).order_by("-n", "label")
        labels = [label for label, _n in counted[:MOST_GIVEN] if len(label) <= 80]
        ordered = sorted(labels, key=float) if self.is_number else sorted(labels)
        return [Option(value=label, title=label) for label in ordered]
