"""Reviews to settle: a small campaign, its labels, and what is asked about them."""

from datetime import UTC, datetime
from typing import Any

from apps.accounts.models import User, Workspace
from apps.labeling.models import Assignment, Campaign, Question, Review, ReviewChange
from apps.labeling.settling import reviewing
from apps.runs.models import Score
from tests.labeling import labelled

NOW = datetime(2026, 3, 5, 12, tzinfo=UTC)
LATER = datetime(2026, 3, 5, 13, tzinfo=UTC)
SAID_WHY = "The second passage says otherwise."


def a_campaign(workspace: Workspace, *settlers: User, **plan: Any) -> Campaign:
    """Four answers: a tie, a majority for yes, all for yes, and one that nobody labelled."""
    campaign = labelled.a_campaign(workspace, 4, **plan)
    question = campaign.questions.get()
    labelled.say(question, "dora", ["true", "true", "true"])
    labelled.say(question, "erin", ["false", "true", "true"])
    labelled.say(question, "finn", ["-", "false", "true"])
    for user in settlers:
        Assignment.objects.create(campaign=campaign, user=user, settles=True)
    return campaign


def ask(campaign: Campaign, number: int = 0, reason: str = "tie", **fields: Any) -> Review:
    """A review of the item of that number, as it would be raised."""
    item = labelled.items_of(campaign)[number]
    question = fields.pop("question", None) or campaign.questions.all()[0]
    return Review.objects.create(item=item, question=question, reason=reason, **fields)


def judge(review: Review, value: float = 0.0, reason: str = "told by the judge") -> Score:
    result = review.item.result
    return Score.objects.create(
        run=result.run, result=result, rule="faithful", judge="gpt", value=value, verdict="fail",
        method="judge", reason=reason,
    )  # fmt: skip


def answered(review: Review, by: User, label: str = "true") -> Review:
    reviewing.answer_blind(review, label, by=by, now=NOW)
    return fresh(review)


def settled(review: Review, by: User, label: str = "true", comment: str = "") -> Review:
    if reviewing.own_answer(review, by) is None:
        answered(review, by, label)
    verdict = reviewing.Verdict(label=label, comment=comment)
    reviewing.settle(review, verdict, by=by, now=NOW)
    return fresh(review)


def fresh(review: Review) -> Review:
    return Review.objects.select_related("question__campaign__workspace").get(pk=review.pk)


def told(review: Review) -> list[tuple[str, str, str]]:
    """Its history, the oldest first: what, which label, by whom."""
    steps = ReviewChange.objects.filter(review=review).order_by("pk")
    return [(step.what, step.label, step.by.username if step.by else "") for step in steps]


def open_question(campaign: Campaign) -> Question:
    question: Question = campaign.questions.get()
    return question
