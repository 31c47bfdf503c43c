"""What waits for a decision in a campaign, in the order in which it is decided."""

from typing import NamedTuple

from django.db.models import Count, Q, QuerySet
from pydantic import ConfigDict

from apps.contract import Contract
from apps.labeling.models import Campaign, Question, Review
from apps.labeling.queries import Text, key_in

from .truth import Unit

ORDER = ("item_id", "question_id")
"""The questions about one answer come one after the other: it is read once."""

REASONS: dict[str, str] = {
    Review.Reason.TIE: "Tie",
    Review.Reason.SPLIT: "Split",
    Review.Reason.ADJUDICATE: "Every answer is decided",
    Review.Reason.JUDGE: "Judge against people",
    Review.Reason.AUDIT: "Audit",
    Review.Reason.GOLD: "Made gold",
}
"""Why somebody was asked, in words."""

DISCARDED = "Discarded, nobody left"
"""Why a decision is needed where the labels decide, had people given enough of them."""


class ReviewFilter(Contract):
    """Empty means any; what nobody could have chosen counts as the first."""

    model_config = ConfigDict(extra="ignore")

    state: Text = "open"
    reason: Text = ""
    task: Text = ""
    question: Text = ""

    @property
    def for_settlers(self) -> "ReviewFilter":
        """What is looked for by whoever is not to know of gold, nor beforehand of a reason."""
        state = "settled" if self.state == "gold" else self.state
        return self.model_copy(update={"state": state, "reason": ""})

    @property
    def narrows(self) -> bool:
        return self != ReviewFilter()

    @property
    def given(self) -> dict[str, str]:
        """As an address says it, without what goes without saying."""
        said: dict[str, str] = self.model_dump(exclude_defaults=True)
        return said


class ReviewCounts(NamedTuple):
    open: int
    settled: int
    gold: int
    withdrawn: int

    @property
    def total(self) -> int:
        return self.open + self.settled + self.withdrawn

    @property
    def needed(self) -> int:
        """Those that are or were to be decided."""
        return self.open + self.settled


class Reason(NamedTuple):
    key: str
    words: str
    n: int


class Beside(NamedTuple):
    previous: Unit | None
    next: Unit | None


def unit_of(review: Review) -> Unit:
    """What it goes by in addresses: its own key would tell when it was raised, and so why."""
    return review.item_id, review.question_id


def found(rows: QuerySet[Review], wanted: ReviewFilter) -> QuerySet[Review]:
    rows = rows.filter(_in_state(wanted.state))
    if wanted.reason:
        rows = rows.filter(reason=wanted.reason)
    if wanted.task:
        rows = rows.filter(question__task_type=wanted.task)
    if wanted.question:
        rows = rows.filter(question=key_in(wanted.question))
    return rows


def listed(rows: QuerySet[Review]) -> QuerySet[Review]:
    """With all that a line shows of other tables."""
    related = rows.select_related(
        "question__campaign", "item__result__record", "settled_by", "blind_by"
    )
    return related.defer("item__result__response", "item__result__record__payload")


def counts_of(rows: QuerySet[Review]) -> ReviewCounts:
    """One query."""
    of = {name: Count("pk", filter=_in_state(name)) for name in ReviewCounts._fields}
    return ReviewCounts(**rows.aggregate(**of))


def reason_of(review: Review) -> str:
    return _words(review.reason, review.question.campaign)


def reasons_of(rows: QuerySet[Review], wanted: ReviewFilter, campaign: Campaign) -> list[Reason]:
    """Those of the state that is looked at, in their order."""
    of_state = rows.filter(_in_state(wanted.state))
    n = dict(of_state.values_list("reason").annotate(n=Count("pk")).order_by())
    return [Reason(key, _words(key, campaign), n[key]) for key in REASONS if key in n]


def questions_of(rows: QuerySet[Review]) -> list[Question]:
    asked = Question.objects.filter(pk__in=rows.values("question"))
    return list(asked.order_by("position", "task_type", "name"))


def beside(review: Review, rows: QuerySet[Review]) -> Beside:
    """The reviews before and after this one among those; two queries."""
    earlier = rows.filter(_before(review)).order_by("-item_id", "-question_id")
    return Beside(
        previous=earlier.values_list("item_id", "question_id").first(),
        next=_first(rows.filter(_after(review))),
    )


def next_open(review: Review, rows: QuerySet[Review]) -> Unit | None:
    """The next that waits, from the start again after the last: what was skipped comes back."""
    waiting = rows.filter(state=Review.State.OPEN).exclude(pk=review.pk)
    return _first(waiting.filter(_after(review))) or _first(waiting)


def first_open(rows: QuerySet[Review]) -> Unit | None:
    return _first(rows.filter(state=Review.State.OPEN))


def _words(reason: str, campaign: Campaign) -> str:
    decides_each = campaign.consensus == Campaign.Consensus.ADJUDICATED
    is_short = reason == Review.Reason.ADJUDICATE and not decides_each
    return DISCARDED if is_short else REASONS[reason]


def _first(rows: QuerySet[Review]) -> Unit | None:
    return rows.order_by(*ORDER).values_list("item_id", "question_id").first()


def _before(review: Review) -> Q:
    same = Q(item_id=review.item_id, question_id__lt=review.question_id)
    return Q(item_id__lte=review.item_id) & (Q(item_id__lt=review.item_id) | same)


def _after(review: Review) -> Q:
    same = Q(item_id=review.item_id, question_id__gt=review.question_id)
    return Q(item_id__gte=review.item_id) & (Q(item_id__gt=review.item_id) | same)


def _in_state(state: str) -> Q:
    if state == "any":
        return Q()
    if state == "gold":
        return Q(gold_at__isnull=False)
    return Q(state=state if state in Review.State.values else Review.State.OPEN)
