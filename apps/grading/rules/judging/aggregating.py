"""A weighted rubric as one number, as the legal_eval_v1 pipeline computes it."""

import re
from collections.abc import Mapping, Sequence

from apps.contract import Contract
from apps.grading.subjects import RubricItem


class Aggregate(Contract):
    """What the criteria came to.

    With weights w and scores s from 0 to 1: `raw_sum` is the sum of w * s, `min_raw` and
    `max_raw` the sums of the negative and of the positive weights, `normalized_points`
    (raw - min) / (max - min), and `weighted_score` that within 0 to 1. A criterion without a
    score counts as 0. Where all weights are 0 they say nothing: the score is the one given.
    """

    applied: bool = True
    matched_criteria: int
    total_criteria: int
    raw_sum: float
    min_raw: float
    max_raw: float
    weighted_score: float
    normalized_points: float
    clipped_points: float


def aggregate(
    weights: Sequence[float], scores: Sequence[float | None], *, without_weights: float
) -> Aggregate:
    """The aggregate; `without_weights` is the score where all weights are 0."""
    raw = sum(w * s for w, s in zip(weights, scores, strict=True) if s is not None)
    lowest = sum(min(0.0, weight) for weight in weights)
    highest = sum(max(0.0, weight) for weight in weights)
    points = (raw - lowest) / (highest - lowest) if highest > lowest else without_weights
    clipped = min(max(points, 0.0), 1.0)
    return Aggregate(
        matched_criteria=sum(score is not None for score in scores),
        total_criteria=len(scores),
        raw_sum=raw,
        min_raw=lowest,
        max_raw=highest,
        weighted_score=clipped,
        normalized_points=points,
        clipped_points=clipped,
    )


def scores_of(
    items: Sequence[RubricItem], criteria: Mapping[str, float]
) -> tuple[float | None, ...]:
    """Each item's score in a judge's `criteria`, by its id, its title or `criterion_N`.

    Letter case and whatever is neither letter nor digit make no difference.
    """
    found = {_normalised(key): score for key, score in criteria.items()}
    return tuple(
        next((found[name] for name in _names(item, place) if name in found), None)
        for place, item in enumerate(items, start=1)
    )


def _names(item: RubricItem, place: int) -> tuple[str, ...]:
    names = (_normalised(item.id), _normalised(item.title), f"criterion_{place}")
    return tuple(name for name in names if name)


def _normalised(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_")
