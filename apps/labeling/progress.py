"""How far campaigns are: their queues, their people, what happens to them now."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import CharField, Count, F, Max, Q, QuerySet, Sum, Value
from django.db.models.functions import Cast, Concat

from apps.accounts.models import User, Workspace
from apps.contract import Contract
from apps.jobs.models import JobState

from .analysing.worst import Worst, worst_in
from .making.sampling import Drawn
from .members.pace import seconds_per_answer
from .models import Annotation, Campaign, CampaignStep, DeskRecord, Item, Queue, Report
from .models.annotations import contradicts_itself
from .models.campaigns import CampaignQuerySet
from .sending.preparing import SAMPLE
from .task_types import tasks_of

IMPORTED = "imported"
RECENT = 2_000
"""Answers that a campaign's pace is measured by, the newest."""

_DOES = {
    CampaignStep.Name.PREPARE.value: ("Drawing and preparing items", "Could not be prepared"),
    CampaignStep.Name.PUSH.value: ("On its way to Argilla", "Could not be brought to Argilla"),
}
_ANSWER = Concat(
    Cast("item_id", CharField()), Value(" "), "question__task_type", output_field=CharField()
)
_ENOUGH = Q(submitted__gte=F("queue__min_submitted"))


class CampaignFilter(Contract):
    """Empty means any; `state` is a state or `imported`."""

    state: str = ""
    mine: bool = False
    archived: bool = False

    @property
    def narrows(self) -> bool:
        return self != CampaignFilter()


@dataclass(frozen=True, slots=True)
class CampaignRow:
    """A line of the list: `done` of `total` items have enough answers, by `people`.

    `worst` is None before its labels are analysed.
    """

    campaign: Campaign
    done: int
    total: int
    people: int
    worst: Worst | None


@dataclass(frozen=True, slots=True)
class QueueProgress:
    """`enough` of `items` have as many answers as they wait for; `pushed` are in Argilla.

    What contradicts itself and blocks is no answer until it is mended.
    `set_aside` have not, and somebody's discard in place of an answer: they may never be done.
    """

    task: str
    title: str
    calibration: bool
    min_submitted: int
    items: int
    pushed: int
    enough: int
    set_aside: int
    submitted: int
    discarded: int


@dataclass(frozen=True, slots=True)
class StepProgress:
    """A step that is not done: what it does, how far it is, and what it waits for."""

    step: str
    told: str
    state: str
    is_open: bool
    done: int
    total: int
    error: str


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """What one person has done; `seconds` an answer takes, None where too few are known."""

    name: str
    settles: bool
    answers: int
    discarded: int
    last_at: datetime | None
    seconds: float | None

    @property
    def per_hour(self) -> float | None:
        return 3600 / self.seconds if self.seconds else None


class _Said(NamedTuple):
    annotator: str
    user: int | None
    answers: int
    discarded: int
    last_at: datetime | None


def campaigns(user: User, workspace: Workspace) -> CampaignQuerySet:
    """With all that a line and a head need of other tables."""
    visible = Campaign.objects.visible_to(user).filter(workspace=workspace)
    return visible.select_related("run__dataset_version__dataset", "created_by", "workspace")


def filtered(found: CampaignQuerySet, wanted: CampaignFilter, user: User) -> CampaignQuerySet:
    found = found.exclude(archived_at=None) if wanted.archived else found.active()
    if wanted.state == IMPORTED:
        found = found.filter(kind=Campaign.Kind.IMPORT)
    elif wanted.state:
        found = found.of_the_desk().filter(state=wanted.state)
    return found.filter(created_by=user) if wanted.mine else found


def rows_of(found: Iterable[Campaign]) -> list[CampaignRow]:
    """The lines of some campaigns, in their order; four queries however many they are."""
    listed = list(found)
    keys = [each.pk for each in listed]
    records = DeskRecord.objects.filter(queue__campaign__in=keys).values("queue__campaign")
    rows = records.annotate(total=Count("pk"), done=Count("pk", filter=_ENOUGH))
    desk = {row["queue__campaign"]: (row["done"], row["total"]) for row in rows}
    people = _counted(Campaign.objects.filter(pk__in=keys), Count("assignments"))
    imported = [each.pk for each in listed if each.kind == Campaign.Kind.IMPORT]
    items = _counted(Campaign.objects.filter(pk__in=imported), Count("items"))
    worst = worst_in(keys)
    return [_row(each, desk, people, items, worst) for each in listed]


def queues_of(campaign: Campaign) -> list[QueueProgress]:
    """By task, the calibration share first; one query."""
    titles = {task.id: task.title for task in tasks_of(campaign.planned)}
    enough = Q(records__submitted__gte=F("min_submitted"))
    rows = Queue.objects.filter(campaign=campaign).annotate(
        items=Count("records"),
        pushed=Count("records", filter=Q(records__pushed_at__isnull=False)),
        enough=Count("records", filter=enough),
        set_aside=Count("records", filter=Q(records__discarded__gt=0) & ~enough),
        answers=Sum("records__submitted", default=0),
        discards=Sum("records__discarded", default=0),
    )
    order = {task: place for place, task in enumerate(titles)}
    return [
        QueueProgress(
            task=row.task,
            title=titles[row.task],
            calibration=row.calibration,
            min_submitted=row.min_submitted,
            items=row.items,
            pushed=row.pushed,
            enough=row.enough,
            set_aside=row.set_aside,
            submitted=row.answers,
            discarded=row.discards,
        )
        for row in sorted(rows, key=lambda row: (order[row.task], not row.calibration))
    ]


def people_of(campaign: Campaign) -> list[PersonProgress]:
    """Those who label, then others who have; three queries."""
    said = {each.annotator: each for each in _said_in(campaign)}
    names = {each.user: each.annotator for each in said.values() if each.user is not None}
    moments = _moments(Annotation.objects.filter(item__campaign=campaign))
    found, seen = [], set()
    for each in campaign.assignments.select_related("user").order_by("user__username"):
        annotator = names.get(each.user_id, "")
        seen.add(annotator)
        found.append(_person(each.user.label, each.settles, said.get(annotator), moments))
    others = (said[name] for name in sorted(said) if name not in seen)
    return found + [_person(each.annotator, False, each, moments) for each in others]


def steps_under_way(campaign: Campaign) -> list[StepProgress]:
    """Preparing and pushing while they are not done, with what they wait for.

    A push that brings nothing new, but lets people in or keeps them out, is only told of where it
    cannot go on.
    """
    steps = campaign.steps.filter(name__in=list(_DOES)).order_by("pk")
    queued = DeskRecord.objects.filter(queue__campaign=campaign)
    is_there = queued.exists() and not queued.filter(pushed_at=None).exists()
    return [
        StepProgress(
            step=step.name,
            told=_DOES[step.name][step.state == JobState.FAILED],
            state=step.state,
            is_open=step.is_open,
            done=step.done,
            total=step.total,
            error=step.error,
        )
        for step in steps
        if step.state == JobState.FAILED
        or (step.is_open and (step.error or step.name != CampaignStep.Name.PUSH or not is_there))
    ]


def drawn_of(campaign: Campaign) -> Drawn | None:
    """What became of the sample; None before it is drawn, and of an import."""
    report = Report.objects.filter(campaign=campaign, kind=SAMPLE).first()
    return Drawn.model_validate(report.body) if report else None


def probabilities_of(campaign: Campaign) -> tuple[float | None, float | None]:
    """The least and the greatest probability of an item; None where nobody drew."""
    found = Item.objects.filter(campaign=campaign).aggregate(
        least=-Max(-F("probability")), most=Max("probability")
    )
    return found["least"], found["most"]


def pace_in(workspace: Workspace) -> float | None:
    """Seconds an answer takes in this workspace, by its newest answers; None without any."""
    given = Annotation.objects.filter(item__campaign__workspace=workspace, user__isnull=False)
    found = (seconds_per_answer(each) for each in _moments(given).values())
    paces = [each for each in found if each is not None]
    return sum(paces) / len(paces) if paces else None


def _row(
    campaign: Campaign,
    desk: Mapping[str, tuple[int, int]],
    people: Mapping[str, int],
    items: Mapping[str, int],
    worst: Mapping[str, Worst],
) -> CampaignRow:
    count = items.get(campaign.pk, 0)
    done, total = desk.get(campaign.pk, (count, count))
    return CampaignRow(campaign, done, total, people.get(campaign.pk, 0), worst.get(campaign.pk))


def _counted(found: CampaignQuerySet, count: Count) -> dict[str, int]:
    return dict(found.annotate(n=count).values_list("pk", "n"))


def _said_in(campaign: Campaign) -> Iterator[_Said]:
    """One answer is what somebody said of one item in one task, however many questions it has."""
    standing = Annotation.objects.filter(item__campaign=campaign).standing()
    rows = standing.values_list("annotator", "user").annotate(
        answers=Count(_ANSWER, distinct=True, filter=~Q(label="") & ~Q(contradicts_itself())),
        discards=Count(_ANSWER, distinct=True, filter=~Q(discard_reason="")),
        last=Max("annotated_at"),
    )
    return (_Said(*row) for row in rows)


def _moments(given: QuerySet[Annotation]) -> dict[str, set[datetime]]:
    """By annotator: when the newest answers were given."""
    newest = given.exclude(annotated_at=None).order_by("-annotated_at")
    found: dict[str, set[datetime]] = {}
    for name, at in newest.values_list("annotator", "annotated_at")[:RECENT]:
        if at is not None:
            found.setdefault(name, set()).add(at)
    return found


def _person(
    name: str, settles: bool, said: _Said | None, moments: Mapping[str, Iterable[datetime]]
) -> PersonProgress:
    if said is None:
        return PersonProgress(name, settles, 0, 0, None, None)
    seconds = seconds_per_answer(moments.get(said.annotator, ()))
    return PersonProgress(name, settles, said.answers, said.discarded, said.last_at, seconds)
