"""What the answer to a question on an item is: the settled one, else what people agree on."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Literal, cast

from django.db.models import Count, Q

from apps.contract import Contract
from apps.labeling.members.people import members_of
from apps.labeling.models import Annotation, Campaign, DeskRecord, Item, Question, Review
from apps.labeling.models.annotations import contradicts_itself
from apps.labeling.task_types import tasks_of
from apps.metrics.consensus import settle
from apps.metrics.labels import Marginal, Rule, Settled

from .known import Known, known_answers
from .known import Unit as Unit

Task = tuple[int, str]
"""The key of an item, and the task that its questions belong to."""

Why = Literal[
    "", "unanswered", "too_few", "discarded", "tie", "split", "adjudicate", "text", "undecidable"
]


class Truth(Contract):
    """A label and where it is from, or None and why.

    `review` is authoritative, `gold` what a lead vouches for elsewhere about the same pair;
    `undecidable` is a review that was settled without a label, `text` a question in free words.
    `too_few` waits for people who are still asked: once the campaign is closed, the labels that
    there are decide. `discarded` has too few labels as well, but nobody is left to give one.
    `votes`: the labels that count, the most frequent first.
    """

    label: str | None
    source: Literal["review", "gold", "consensus", ""] = ""
    why: Why = ""
    votes: tuple[Marginal, ...] = ()


UNANSWERED = Truth(label=None, why="unanswered")


def truths(campaign: Campaign, *, items: Collection[int] | None = None) -> dict[Unit, Truth]:
    """Of every item and question that has a label that counts or a settled review, or that all who
    are left have discarded.

    `items` limits them to some. At most ten queries, however many there are.
    """
    chosen = {} if items is None else {"item__in": items}
    given = _labels(campaign, chosen)
    settled = _settled(campaign, chosen)
    questions = {each.pk: each for each in campaign.questions.all()}
    known = known_answers(campaign, items=items)
    people = members_of(campaign).count()
    waiting, fewest = _waiting(campaign, chosen, people), _fewest(campaign, people)
    exhausted = _exhausted(campaign, chosen, people)

    def of(unit: Unit) -> Truth:
        item, question = unit[0], questions[unit[1]]
        task = (item, question.task_type)
        enough = len(given[unit]) + 1 if task in waiting else fewest
        found = settle(given[unit], cast(Rule, campaign.consensus), fewest=enough)
        truth = _truth(question, found, settled.get(unit), known.get(unit))
        if truth.why in ("unanswered", "too_few") and task in exhausted:
            return truth.model_copy(update={"why": "discarded"})
        return truth

    set_aside = _set_aside(campaign, chosen) if exhausted else set()
    left = {unit for unit in set_aside if (unit[0], questions[unit[1]].task_type) in exhausted}
    return {unit: of(unit) for unit in sorted({*given, *settled, *left})}


def truth_of(item: Item, question: Question) -> Truth:
    """Of one item and one of its campaign's questions."""
    found = truths(item.campaign, items=[item.pk])
    return found.get((item.pk, question.pk), UNANSWERED)


def calibration_share(campaign: Campaign, **chosen: object) -> set[Task]:
    """The items that wait for everybody; one query."""
    rows = DeskRecord.objects.filter(queue__campaign=campaign, queue__calibration=True, **chosen)
    found = list(rows.values_list("item", "queue__task"))
    filed = {each.id: each.task_type for each in tasks_of(campaign.planned)} if found else {}
    return {(item, filed[task]) for item, task in found}


def _truth(question: Question, found: Settled, verdict: str | None, known: Known | None) -> Truth:
    if verdict is not None:
        why: Why = "" if verdict else "undecidable"
        return Truth(label=verdict or None, source="review", why=why, votes=found.votes)
    if known is not None:
        return Truth(label=known.label, source="gold", votes=found.votes)
    if question.kind == Question.Kind.TEXT:
        return Truth(label=None, why="text", votes=found.votes)
    return _agreed(found)


def _agreed(found: Settled) -> Truth:
    source: Literal["consensus", ""] = "" if found.label is None else "consensus"
    return Truth(label=found.label, source=source, why=found.reason, votes=found.votes)


def _labels(campaign: Campaign, chosen: Mapping[str, object]) -> defaultdict[Unit, list[str]]:
    rows = Annotation.objects.filter(question__campaign=campaign, **chosen).counted()
    labels: defaultdict[Unit, list[str]] = defaultdict(list)
    for item, question, label in rows.values_list("item", "question", "label"):
        labels[item, question].append(label)
    return labels


def _settled(campaign: Campaign, chosen: Mapping[str, object]) -> dict[Unit, str]:
    rows = Review.objects.filter(
        question__campaign=campaign, state=Review.State.SETTLED, **chosen
    ).values_list("item", "question", "label")
    return {(item, question): label for item, question, label in rows}


def _set_aside(campaign: Campaign, chosen: Mapping[str, object]) -> set[Unit]:
    rows = Annotation.objects.filter(question__campaign=campaign, **chosen)
    return set(rows.exclude(discard_reason="").values_list("item", "question"))


def _fewest(campaign: Campaign, people: int) -> int:
    """Of the people who must have labelled an item; once nobody is asked, one is enough."""
    return campaign.planned.awaited(people) if campaign.asks else 1


def _waiting(campaign: Campaign, chosen: Mapping[str, object], people: int) -> set[Task]:
    """The items of the calibration share that somebody has still to answer.

    A discard is that person's answer; once the campaign is closed nobody is waited for.
    """
    if not campaign.asks:
        return set()
    needed = calibration_share(campaign, **chosen)
    if not needed:
        return set()
    answered = _answered(campaign, chosen)
    return {task for task in needed if answered.get(task, 0) < people}


def _answered(campaign: Campaign, chosen: Mapping[str, object]) -> dict[Task, int]:
    """How many people have answered a task on an item, be it with a discard.

    Who no longer labels in the campaign does not answer in the place of who does.
    """
    in_share = Q(item__desk_records__queue__calibration=True)
    rows: Iterable[tuple[int, str, int]] = (
        Annotation.objects.filter(in_share, question__campaign=campaign, **chosen)
        .of_who_is_among(members_of(campaign))
        .standing()
        .values_list("item", "question__task_type")
        .annotate(people=Count("annotator", distinct=True))
        .order_by()
    )
    return {(item, task): people for item, task, people in rows}


def _exhausted(campaign: Campaign, chosen: Mapping[str, object], people: int) -> set[Task]:
    """What somebody has discarded and nobody is left to label: all have said their last word.

    Who contradicts themselves has not: they have to mend it.
    """
    given = Annotation.objects.filter(question__campaign=campaign, **chosen)
    discarded = given.exclude(discard_reason="")
    if not people:
        return set(discarded.values_list("item", "question__task_type").distinct())
    last_words = given.filter(user__in=members_of(campaign)).exclude(contradicts_itself())
    rows: Iterable[tuple[int, str, int]] = (
        last_words.standing()
        .filter(item__in=discarded.values("item"))
        .values_list("item", "question__task_type")
        .annotate(people=Count("user", distinct=True))
        .order_by()
    )
    return {(item, task) for item, task, said in rows if said >= people}
