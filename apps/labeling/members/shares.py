"""What of each task waits for one person: counted in the database, however many records."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.db.models import (
    BooleanField,
    Case,
    CharField,
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from apps.accounts.models import User
from apps.labeling.models import Annotation, Breach, Campaign, DeskRecord, Item, Question, Queue


class _Counts(NamedTuple):
    total: int
    done: int
    waiting: int
    to_mend: int


class Share(NamedTuple):
    """A task as one person sees it: `done` of it is theirs, `waiting` still wants their answer.

    `to_mend` are answers of theirs that count for nothing, for they contradict themselves. What
    others have finished is none of these. Its queues are told as one, but each has a link of its
    own, for Argilla leads from none to the other. Which of them is everybody's is not said.
    """

    title: str
    counts: dict[Queue, _Counts]

    @property
    def total(self) -> int:
        return sum(each.total for each in self.counts.values())

    @property
    def done(self) -> int:
        return sum(each.done for each in self.counts.values())

    @property
    def waiting(self) -> int:
        return sum(each.waiting for each in self.counts.values())

    @property
    def to_mend(self) -> int:
        return sum(each.to_mend for each in self.counts.values())

    @property
    def goal(self) -> int:
        return self.done + self.waiting + self.to_mend

    @property
    def by_others(self) -> int:
        return self.total - self.goal

    @property
    def pieces(self) -> Sequence["Piece"]:
        """Its queues as they are told apart, numbered as at the desk where there are two."""
        is_one = len(self.counts) == 1
        return [
            Piece(queue, 0 if is_one else queue.part, each.total, each.waiting, each.done)
            for queue, each in self.counts.items()
        ]


class Piece(NamedTuple):
    """A queue of a task; `nth` is 0 where it is the only one."""

    queue: Queue
    nth: int
    total: int
    waiting: int
    done: int


def shares_of(user: User, campaigns: Sequence[Campaign]) -> dict[str, list[Share]]:
    """By campaign, of what is at the desk; in the order of the plan, everybody's part first."""
    asking = [each.pk for each in campaigns if each.asks]
    at_the_desk = Queue.objects.filter(campaign__in=asking).exclude(dataset_id="")
    queues = list(at_the_desk.select_related("campaign").order_by("pk"))
    counts = _counts(user, queues)
    found: dict[str, dict[str, Share]] = {}
    for queue in sorted(queues, key=_order):
        if queue.pk in counts:
            share = Share(queue.asked.title, {})
            found.setdefault(queue.campaign_id, {}).setdefault(queue.task, share)
            found[queue.campaign_id][queue.task].counts[queue] = counts[queue.pk]
    return {campaign_id: list(shares.values()) for campaign_id, shares in found.items()}


def items_waiting_for(user: User, items: Collection[Item]) -> set[int]:
    """The keys of those that this person is to label, or to mend their answers to; three queries
    at most."""
    asked = Queue.objects.filter(
        campaign__in={each.campaign_id for each in items},
        campaign__state=Campaign.State.OPEN,
        campaign__assignments__user=user,
    )
    queues = list(asked.select_related("campaign")) if items else []
    if not queues:
        return set()
    rows = _records(user, queues).filter(item__in=items)
    return set(rows.filter(_WAITS | _TO_MEND).values_list("item", flat=True))


def _order(queue: Queue) -> tuple[int, bool]:
    return queue.campaign.planned.tasks.index(queue.task), not queue.calibration


def _questions_of(queues: Sequence[Queue]) -> dict[int, list[int]]:
    """The keys of each queue's questions."""
    keys = {
        (asked.campaign_id, asked.task_type, asked.name): asked.pk
        for asked in Question.objects.filter(campaign__in={each.campaign_id for each in queues})
    }
    found = {}
    for queue in queues:
        asked = queue.asked
        names = ((queue.campaign_id, asked.task_type, row.name) for row in asked.rows)
        found[queue.pk] = [keys[name] for name in names if name in keys]
    return found


_NEEDED = Q(queue__calibration=True) | Q(given__lt=F("queue__min_submitted"))
_WAITS = Q(mine=False) & _NEEDED
_TO_MEND = Q(mine=True, blocked=True)


def _counts(user: User, queues: Sequence[Queue]) -> dict[int, _Counts]:
    """One query for all queues; a record that others finish is not waited for any more.

    At the desk it is finished too where their answers count for nothing: they have to mend them.
    """
    if not queues:
        return {}
    counted = (
        _records(user, queues)
        .values("queue")
        .annotate(
            total=Count("pk"),
            done=Count("pk", filter=Q(mine=True, blocked=False)),
            waiting=Count("pk", filter=_WAITS),
            to_mend=Count("pk", filter=_TO_MEND),
        )
    )
    listed = counted.order_by("queue").values_list("queue", *_Counts._fields)
    return {queue: _Counts(*counts) for queue, *counts in listed}


def _records(user: User, queues: Sequence[Queue]) -> QuerySet[DeskRecord]:
    """What is at the desk of these, with what has become of it there."""
    questions = _questions_of(queues)
    said = Annotation.objects.filter(item=OuterRef("item"), user=user).standing()
    answered = Case(
        *(
            When(queue=queue, then=Exists(said.filter(question__in=keys)))
            for queue, keys in questions.items()
        ),
        default=Value(False),
        output_field=BooleanField(),
    )
    types = (When(queue=each.pk, then=Value(each.asked.task_type)) for each in queues)
    records = DeskRecord.objects.filter(queue__in=questions).exclude(pushed_at=None)
    return records.annotate(
        task_type=Case(*types, output_field=CharField()),
        given=F("submitted") + _blocked(),
        blocked=Exists(_blocking().filter(user=user)),
        mine=answered,
    )


def _blocked() -> Coalesce:
    """How many people's answers to a record count for nothing."""
    people = _blocking().values("item").annotate(n=Count("annotator", distinct=True))
    return Coalesce(Subquery(people.values("n")), 0)


def _blocking() -> QuerySet[Breach]:
    """What keeps answers to a record, whose `task_type` is known, from counting."""
    return Breach.objects.filter(
        item=OuterRef("item"),
        task_type=OuterRef("task_type"),
        severity=Breach.Severity.BLOCK,
    )
