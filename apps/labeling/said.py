"""Every label of a campaign as its page lists them: who said what, what it breaks, what it was."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from apps.contract import Contract
from apps.datasets.sight import Sight

from .models import Annotation, AnnotationChange, Breach, Campaign, Question
from .models.annotations import AnnotationQuerySet
from .settling.choices import Choices
from .task_types.base import UNREASONED

ORDER = ("item__result__ordinal", "item__pk", "question__position", "pk")
MOST_CHOICES = 200

STATES = {
    "labelled": "Labelled",
    "discarded": "Discarded",
    "unreasoned": "Discarded without a reason",
    "withdrawn": "Taken back",
    "blocked": "Contradicts itself, does not count",
    "warned": "Contradicts itself, counts",
    "changed": "Changed",
}


class SaidFilter(Contract):
    """Empty means any; `state` is one of STATES."""

    task: str = ""
    question: str = ""
    label: str = ""
    annotator: str = ""
    state: str = ""


class Was(NamedTuple):
    """What a label was before it was changed, in words."""

    change: AnnotationChange
    words: str


class Line(NamedTuple):
    annotation: Annotation
    words: str
    notes: str
    breaches: Sequence[Breach]
    was: Sequence[Was]

    @property
    def more(self) -> str:
        """What there is beside the label: "Notes, 2 changes"."""
        changes = {0: "", 1: "1 change"}.get(len(self.was), f"{len(self.was):,} changes")
        return ", ".join(part for part in ("Notes" if self.notes else "", changes) if part)


class Totals(NamedTuple):
    """Of a campaign's annotations; `blocked` are labels that do not count."""

    labelled: int
    discarded: int
    unreasoned: int
    withdrawn: int
    blocked: int


def listed(campaign: Campaign, wanted: SaidFilter) -> QuerySet[Annotation]:
    """With all that a line needs of other tables, but for its breaches."""
    found = _of(campaign)
    named = {
        "question__task_type": wanted.task,
        "question": wanted.question,
        "label": wanted.label,
        "annotator": wanted.annotator,
    }
    found = found.filter(**{path: value for path, value in named.items() if value})
    if wanted.state:
        found = found.filter(_states()[wanted.state])
    related = found.select_related("question", "user", "item__result__record")
    seen = related.defer("item__result__response", "item__result__record__payload")
    return seen.prefetch_related("changes")


def lines(found: Sequence[Annotation], sight: Sight) -> list[Line]:
    breaches = _breaches(found)
    choices = {each.question_id: Choices(each.question) for each in found}
    return [
        Line(
            annotation=each,
            words=_words(each, choices[each.question_id], sight),
            notes=sight.text(each.notes),
            breaches=breaches.get(_said_by(each), ()) if each.label else (),
            was=[
                Was(change, _words(change, choices[each.question_id], sight))
                for change in sorted(each.changes.all(), key=lambda change: -change.pk)
            ],
        )
        for each in found
    ]


def totals(campaign: Campaign) -> Totals:
    """One query."""
    states = _states()
    counts = {name: Count("pk", filter=states[name]) for name in Totals._fields}
    return Totals(**_of(campaign).aggregate(**counts))


def questions_of(campaign: Campaign) -> list[Question]:
    return list(Question.objects.filter(campaign=campaign).order_by("position", "pk"))


def labels_in(campaign: Campaign) -> list[str]:
    """At most 200; those of questions in free words are no choice."""
    found = _of(campaign).labelled().exclude(question__kind=Question.Kind.TEXT)
    return _distinct(found, "label")


def annotators_in(campaign: Campaign) -> list[str]:
    return _distinct(_of(campaign), "annotator")


def _of(campaign: Campaign) -> AnnotationQuerySet:
    return Annotation.objects.filter(question__campaign=campaign)


def _states() -> Mapping[str, Q]:
    """Those of STATES, of an annotation."""
    return {
        "labelled": ~Q(label=""),
        "discarded": ~Q(discard_reason=""),
        "unreasoned": Q(discard_reason=UNREASONED),
        "withdrawn": Q(label="", discard_reason=""),
        "blocked": ~Q(label="") & _broken(Breach.Severity.BLOCK),
        "warned": ~Q(label="") & _broken(Breach.Severity.WARN),
        "changed": Q(Exists(AnnotationChange.objects.filter(annotation=OuterRef("pk")))),
    }


def _broken(severity: Breach.Severity) -> Q:
    broken = Breach.objects.filter(
        item=OuterRef("item"),
        annotator=OuterRef("annotator"),
        task_type=OuterRef("question__task_type"),
        severity=severity,
    )
    return Q(Exists(broken))


def _breaches(found: Sequence[Annotation]) -> Mapping[tuple[int, str, str], list[Breach]]:
    rows = Breach.objects.filter(
        item__in={each.item_id for each in found},
        annotator__in={each.annotator for each in found},
    )
    by_answer: defaultdict[tuple[int, str, str], list[Breach]] = defaultdict(list)
    for row in rows.order_by("severity", "constraint"):
        by_answer[row.item_id, row.annotator, row.task_type].append(row)
    return by_answer


def _said_by(annotation: Annotation) -> tuple[int, str, str]:
    return annotation.item_id, annotation.annotator, annotation.question.task_type


def _words(said: Annotation | AnnotationChange, choices: Choices, sight: Sight) -> str:
    if said.label:
        return sight.text(choices.in_words(said.label))
    return sight.text(said.discard_reason.replace("_", " ").capitalize())


def _distinct(found: QuerySet[Annotation], name: str) -> list[str]:
    return list(found.values_list(name, flat=True).order_by(name).distinct()[:MOST_CHOICES])
