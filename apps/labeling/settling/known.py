"""Answers that are known: what a lead vouches for about the same pair, in any campaign."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from django.db.models import F, Q, QuerySet

from apps.labeling.models import Annotation, Assignment, Campaign, Item, Question, Review

Unit = tuple[int, int]
"""The keys of an item and of a question."""

Person = int | str
"""The key of a member, or what annotations call somebody."""

Pair = tuple[str, str, str]
"""Query, answer and context, the chunk, and the record where more of it is shown."""

OF_THE_RECORD = ("rubric", "reference")
"""Tasks that show more of a record than the pair."""


class Known(NamedTuple):
    """A label, and the item and question whose review is gold."""

    label: str
    item: int
    question: int

    @property
    def unit(self) -> Unit:
        return self.item, self.question


class _Gold(NamedTuple):
    label: str
    item: int
    question: int
    pair: str
    chunk: str
    record: str
    task_type: str
    name: str
    kind: str
    title: str

    @property
    def asked(self) -> tuple[str, ...]:
        return asked_as(self.task_type, self.name, self.kind, self.title)

    @property
    def about(self) -> Pair:
        return about(self.pair, self.chunk, self.record, self.task_type)


_PATHS = (
    *("label", "item", "question", "item__pair_sha256", "item__chunk"),
    *("item__result__record__sha256", "question__task_type", "question__name"),
    *("question__kind", "question__title"),
)


def asked_as(task_type: str, name: str, kind: str, title: str) -> tuple[str, ...]:
    """What questions have in common that are the same; those of files are choices at first."""
    if task_type == "own":
        return task_type, name, kind, title
    return task_type, name, Question.Kind.YES_NO if kind == Question.Kind.CHOICE else kind


def about(pair: str, chunk: str, record: str, task_type: str) -> Pair:
    """What units have in common that show the same."""
    return pair, chunk, record if task_type in OF_THE_RECORD else ""


def known_answers(campaign: Campaign, *, items: Collection[int] | None = None) -> dict[Unit, Known]:
    """By item and question of the campaign, the newest gold; one query, three where there is any.

    Questions are the same that have task, name and kind in common, own ones their title too.
    """
    here = campaign.items.all() if items is None else campaign.items.filter(pk__in=items)
    reviews = _gold(campaign, here)
    gold = [_Gold(*row) for row in reviews.order_by("gold_at", "pk").values_list(*_PATHS)]
    if not gold:
        return {}
    rows = campaign.questions.values_list("pk", "task_type", "name", "kind", "title")
    questions = {asked_as(*asked): pk for pk, *asked in rows}
    pairs = _by_pair(here, reviews)
    found: dict[Unit, Known] = {}
    for each in gold:
        if each.asked in questions:
            same = pairs.get(each.about, []) if each.pair else [each.item]
            known = Known(each.label, each.item, each.question)
            found |= {(item, questions[each.asked]): known for item in same}
    return found


def makers_of(campaign: Campaign) -> dict[Unit, set[Person]]:
    """Who had a part in what is gold in the workspace, or on whose labels it rests; 3 queries."""
    gold = Review.objects.filter(
        gold_at__isnull=False, item__campaign__workspace=campaign.workspace_id
    )
    settled = gold.values_list("item", "question", "settled_by", "settled_by__username")
    parts = gold.values_list("item", "question", "changes__by", "changes__by__username")
    agreed = Annotation.objects.labelled().filter(
        item__reviews__in=gold.filter(reason=Review.Reason.GOLD),
        item__reviews__question=F("question"),
    )
    labelled = agreed.values_list("item", "question", "user", "annotator")
    found: defaultdict[Unit, set[Person]] = defaultdict(set)
    for item, question, user, name in (*settled, *parts, *labelled):
        found[item, question] |= {each for each in (user, name) if each is not None}
    return found


class Shown(NamedTuple):
    """From when on, and whom, a settled answer may have been shown."""

    at: datetime
    settlers: frozenset[int]

    def to(self, user: int | None, labelled_at: datetime | None) -> bool:
        """Whether this person may have read it before they gave their label."""
        return user in self.settlers and (labelled_at is None or labelled_at >= self.at)


def shown_to(campaign: Campaign) -> dict[Unit, Shown]:
    """By the gold of the workspace, whoever settles in its campaign; two queries."""
    gold = Review.objects.filter(
        gold_at__isnull=False, item__campaign__workspace=campaign.workspace_id
    )
    settling = Assignment.objects.filter(settles=True, campaign__workspace=campaign.workspace_id)
    settlers: defaultdict[str, set[int]] = defaultdict(set)
    for made, user in settling.values_list("campaign", "user"):
        settlers[made].add(user)
    rows = gold.values_list("item", "question", "item__campaign", "settled_at")
    return {
        (item, question): Shown(at, frozenset(settlers[made]))
        for item, question, made, at in rows
        if at
    }


def _gold(campaign: Campaign, here: QuerySet[Item]) -> QuerySet[Review]:
    pairs = here.exclude(pair_sha256="").values("pair_sha256")
    return Review.objects.filter(
        Q(item__in=here.values("pk")) | Q(item__pair_sha256__in=pairs),
        gold_at__isnull=False,
        item__campaign__workspace=campaign.workspace_id,
    )


def _by_pair(here: QuerySet[Item], gold: QuerySet[Review]) -> dict[Pair, list[int]]:
    pairs = gold.exclude(item__pair_sha256="").values("item__pair_sha256")
    rows = here.filter(pair_sha256__in=pairs)
    found: defaultdict[Pair, list[int]] = defaultdict(list)
    paths = ("pk", "pair_sha256", "chunk", "result__record__sha256")
    for item, pair, chunk, record in rows.values_list(*paths):
        found[pair, chunk, ""].append(item)
        found[pair, chunk, record].append(item)
    return found
