"""What the labels of an import say of its questions: yes or no, a scale, choices, free words."""

from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

from apps.datasets.formats.annotations import spelled
from apps.labeling.models import Annotation, Campaign, Question

MOST_CHOICES = 100
"""More different labels than these are free words."""

YES_OR_NO = frozenset(spelled(each) for each in (True, False))


class Scale(NamedTuple):
    kind: Question.Kind
    level: Question.Level


def scale_of(labels: Collection[str]) -> Scale:
    """Whole numbers are marks with an order, other numbers have distances too."""
    if set(labels) <= YES_OR_NO:
        return Scale(Question.Kind.YES_NO, Question.Level.NOMINAL)
    if all(map(_is_number, labels)):
        whole = all(float(label).is_integer() for label in labels)
        level = Question.Level.ORDINAL if whole else Question.Level.INTERVAL
        return Scale(Question.Kind.RATING, level)
    kind = Question.Kind.TEXT if len(set(labels)) > MOST_CHOICES else Question.Kind.CHOICE
    return Scale(kind, Question.Level.NOMINAL)


def recognise(campaign: Campaign) -> None:
    """Note the scale of each question of an import; a file does not say it."""
    rows = Annotation.objects.filter(question__campaign=campaign).labelled()
    labels: defaultdict[int, set[str]] = defaultdict(set)
    for question, label in rows.values_list("question", "label").distinct():
        labels[question].add(label)
    for question, given in labels.items():
        Question.objects.filter(pk=question).update(**scale_of(given)._asdict())


def _is_number(label: str) -> bool:
    try:
        return abs(float(label)) < float("inf")
    except ValueError:
        return False
