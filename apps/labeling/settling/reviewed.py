"""What a review shows: what the annotators saw, and once it is answered what they said."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from apps.accounts.models import User
from apps.datasets.sight import Sight
from apps.grading.subjects import Subject
from apps.labeling.models import Annotation, Campaign, Item, Question, Review, ReviewChange
from apps.labeling.plans import Language
from apps.labeling.sending.subjects import Subjects
from apps.labeling.task_types import showing, tasks_of
from apps.labeling.task_types.base import Task
from apps.runs.models import Score
from apps.runs.working.carrying import is_answered

from .choices import Choices
from .reviewing import GOLD, NO_GOLD

MOST_SAID = 100
MOST_SCORES = 50


class Shown(NamedTuple):
    title: str
    text: str


class Said(NamedTuple):
    """What one person answered; `counts` where figures rest on it, `own` of whoever looks."""

    annotator: str
    words: str
    discarded: bool
    notes: str
    at: datetime | None
    counts: bool
    own: bool


class Step(NamedTuple):
    change: ReviewChange
    words: str


def texts_of(item: Item, question: Question, sight: Sight) -> list[Shown]:
    """The texts that annotators saw of it; of an import, all that there is to read.

    Nothing where the run has no answer to show: files label what they like.
    """
    if not is_answered(item.result):
        return []
    subject = Subjects().of(item.result)
    task = _task_of(question)
    texts = task.shown(subject, item.chunk) if task else None
    found = _of_task(task, texts) if task and texts else _all(subject, item.chunk)
    return [Shown(title, sight.text(text)) for title, text in found]


def labels_of(review: Review, sight: Sight, user: User) -> list[Said]:
    """What people said, by name, as this person sees it; two queries."""
    given = Annotation.objects.filter(item=review.item_id, question=review.question_id).standing()
    rows = list(given.select_related("user").order_by("annotator")[:MOST_SAID])
    counted = set(given.counted().values_list("pk", flat=True))
    choices = Choices(review.question)
    return [
        _said(row, choices, sight, counts=row.pk in counted, own=row.user_id == user.pk)
        for row in rows
    ]


def scores_of(item: Item) -> list[Score]:
    """What rules and judges say of the answer, as a whole."""
    return list(Score.objects.filter(result=item.result_id).order_by("rule", "judge")[:MOST_SCORES])


def history_of(review: Review, *, with_gold: bool) -> list[Step]:
    """The newest first; that something is gold, leads alone are told."""
    changes = review.changes.select_related("by").order_by("-pk")
    told = changes if with_gold else changes.exclude(what__in=(GOLD, NO_GOLD))
    choices = Choices(review.question)
    return [Step(change, choices.in_words(change.label)) for change in told]


def _said(row: Annotation, choices: Choices, sight: Sight, *, counts: bool, own: bool) -> Said:
    words = choices.in_words(row.label) if row.label else row.discard_reason.replace("_", " ")
    return Said(
        annotator=row.user.label if row.user else row.annotator,
        words=sight.text(words),
        discarded=not row.label,
        notes=sight.text(row.notes),
        at=row.annotated_at,
        counts=counts,
        own=own,
    )


def _task_of(question: Question) -> Task | None:
    """The task that asked it; files do not say what their annotators saw."""
    campaign = question.campaign
    if campaign.kind != Campaign.Kind.DESK:
        return None
    asked = (task for task in tasks_of(campaign.planned) if task.task_type == question.task_type)
    return next((task for task in asked if _asks(task, question.name)), None)


def _asks(task: Task, name: str) -> bool:
    return any(row.name == name for row in task.rows)


def _of_task(task: Task, texts: dict[str, str]) -> Iterator[Shown]:
    for field in task.fields:
        if field.name in texts:
            yield Shown(field.title, texts[field.name])


def _all(subject: Subject, chunk: str) -> list[Shown]:
    language: Language = "en"
    texts = showing.filled(
        query=showing.query(subject),
        response=showing.response(subject),
        chunk=showing.chunk(subject, chunk) if chunk else "",
        context="" if chunk else showing.context(subject),
        reference=subject.reference or "",
    )
    return [Shown(showing.field(name, language).title, text) for name, text in texts.items()]
