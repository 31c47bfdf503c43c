"""What people said about the answers of a dataset version."""

from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

from django.db.models import Count, QuerySet
from pydantic import AfterValidator, ConfigDict

from apps.contract import Contract
from apps.datasets.models import DatasetVersion

from .models import Annotation
from .models.annotations import AnnotationQuerySet

LONGEST = 400
SHOWN = 50
STREAMED = 500

LONGEST_KEY = 18
"""Digits: what has more is no key of any row, and too large for the database."""

Text = Annotated[str, AfterValidator(lambda text: text.replace("\0", "")[:LONGEST])]


class LabelFilter(Contract):
    """Empty means any."""

    model_config = ConfigDict(extra="ignore")

    task: Text = ""
    criterion: Text = ""
    label: Text = ""
    annotator: Text = ""


class LabelCount(NamedTuple):
    """How often a question of a task, or a criterion, was answered so."""

    task: str
    criterion: str
    label: str
    n: int


class PersonCount(NamedTuple):
    annotator: str
    n: int
    items: int


class Counts(NamedTuple):
    """At most 50 lines of labels and of people, the most frequent people first."""

    labels: Sequence[LabelCount]
    people: Sequence[PersonCount]
    total: int


def key_in(text: str) -> int:
    """The key that a text names; 0, which no row has, where it can be none."""
    return int(text) if text.isdecimal() and len(text) <= LONGEST_KEY else 0


def annotations_of(version: DatasetVersion) -> AnnotationQuerySet:
    return Annotation.objects.filter(item__campaign__run__dataset_version=version)


def in_order(found: QuerySet[Annotation]) -> Iterator[Annotation]:
    """By record, chunk, question and annotator, never held whole."""
    related = found.select_related("question", "item__result__record").defer(
        "item__result__response", "item__result__record__payload"
    )
    ordered = related.order_by("item__result__ordinal", "item__chunk", "question", "annotator")
    return ordered.iterator(chunk_size=STREAMED)


def listed(version: DatasetVersion, wanted: LabelFilter) -> QuerySet[Annotation]:
    """With all that a line shows of other tables."""
    found = annotations_of(version)
    named = {
        "question__task_type": wanted.task,
        "question__name": wanted.criterion,
        "label": wanted.label,
        "annotator": wanted.annotator,
    }
    found = found.filter(**{path: value for path, value in named.items() if value})
    related = found.select_related("question", "item__campaign", "item__result__record")
    return related.defer("item__result__response", "item__result__record__payload")


def counts_of(version: DatasetVersion) -> Counts:
    """Three queries."""
    found = annotations_of(version)
    asked = ("question__task_type", "question__name", "label")
    labels = found.values_list(*asked).annotate(n=Count("pk")).order_by(*asked)
    people = found.values_list("annotator").annotate(
        n=Count("pk"), items=Count("item", distinct=True)
    )
    return Counts(
        labels=[LabelCount(*row) for row in labels[:SHOWN]],
        people=[PersonCount(*row) for row in people.order_by("-n", "annotator")[:SHOWN]],
        total=found.count(),
    )
