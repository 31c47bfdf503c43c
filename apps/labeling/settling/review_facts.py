"""A review as programs read it: exactly what its page tells whoever looks."""

from typing import Any

from apps.accounts.models import User
from apps.datasets.sight import Sight
from apps.labeling.models import Review
from apps.runs.models import Score

from . import reviewed, reviewing
from .choices import Choices
from .seats import Seat


def id_of(review: Review) -> str:
    """By item and question: its own key would tell when it was raised, and so why."""
    return f"{review.item_id}-{review.question_id}"


def row_facts(review: Review, sight: Sight, *, reason: bool, revealed: bool) -> dict[str, Any]:
    """As the list shows it, with its `reason` or without; nothing that anybody answered before it
    is `revealed`."""
    question = review.question
    is_told = revealed and review.state == Review.State.SETTLED
    return {
        "id": id_of(review),
        "campaign_id": question.campaign_id,
        "record_id": review.item.result.record.record_id,
        "chunk": review.item.chunk,
        "task": question.task_type,
        "question": question.name,
        "state": review.state,
        "reason": review.reason if reason else None,
        "settled_labels": _labels(review, review.label, sight) if is_told else None,
        "settled_by": review.settled_by.get_username() if review.settled_by else None,
        "settled_at": review.settled_at,
    }


def facts_of(review: Review, seat: Seat, user: User, sight: Sight) -> dict[str, Any]:
    """Before an answer of their own neither the reason nor what anybody or any judge said."""
    own = reviewing.own_answer(review, user)
    revealed = review.pk in seat.revealed([review])
    row = row_facts(review, sight, reason=revealed, revealed=revealed)
    question, choices = review.question, Choices(review.question)
    options = [{"value": each.value, "title": each.title} for each in choices.options]
    return {
        **row,
        "title": question.title,
        "kind": question.kind,
        "options": options,
        "texts": [each._asdict() for each in reviewed.texts_of(review.item, question, sight)],
        "own_labels": _labels(review, own.label, sight) if own else None,
        "revealed": revealed,
        "comment": sight.text(review.comment) if revealed else "",
        "annotations": _annotations(review, sight, user) if revealed else [],
        "scores": _scores(review, sight) if revealed and seat.sees_scores else [],
        "history": _history(review, seat, sight) if revealed else [],
    }


def _labels(review: Review, label: str, sight: Sight) -> list[str]:
    parts = Choices(review.question).parts(label) if label else []
    return [sight.text(part) for part in parts]


def _annotations(review: Review, sight: Sight, user: User) -> list[dict[str, Any]]:
    return [each._asdict() for each in reviewed.labels_of(review, sight, user)]


def _scores(review: Review, sight: Sight) -> list[dict[str, Any]]:
    return [_score(each, sight) for each in reviewed.scores_of(review.item)]


def _score(score: Score, sight: Sight) -> dict[str, Any]:
    return {
        "rule": score.rule,
        "judge": score.judge,
        "value": score.value,
        "verdict": score.verdict,
        "reason": sight.text(score.reason),
    }


def _history(review: Review, seat: Seat, sight: Sight) -> list[dict[str, Any]]:
    return [
        {
            "what": change.what,
            "labels": _labels(review, change.label, sight),
            "comment": sight.text(change.comment),
            "by": change.by.get_username() if change.by else None,
            "at": change.at,
        }
        for change, _words in reviewed.history_of(review, with_gold=seat.is_lead)
    ]
