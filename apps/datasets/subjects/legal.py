"""Rows of legal_eval_v1, as graders see them.

Each task type brings what it is judged by: mcq its choices, reference_qa its reference answers,
rubric_qa its rubric, and reference answers where it has some. So one contract may hold a rule
for each of them, and those for which a row has nothing do not apply to it.
"""

import math
from collections.abc import Mapping
from typing import Any

from apps.datasets.prompting.legal import judging_of
from apps.grading.subjects import Choice, RubricItem

from .given import Given, asked, brought

Row = Mapping[str, Any]


def given(payload: Mapping[str, Any]) -> Given:
    row, judging = payload["row"], judging_of(payload)
    fields = {
        **asked(payload),
        "reference_answers": tuple(row.get("reference_answers") or ()),
        "choices": tuple(
            Choice(id=choice["id"], text=choice["text"]) for choice in row.get("choices") or ()
        ),
        "correct_choice_ids": tuple(row.get("correct_choice_ids") or ()),
        "rubric": tuple(_criterion(each) for each in row.get("rubric") or ()),
        "context": row.get("context") or "",
        "policy": judging.policy,
    }
    return Given(fields=fields, record=brought(row.get("metadata")))


def _criterion(criterion: Row) -> RubricItem:
    return RubricItem(
        id=criterion["id"],
        title=criterion["title"],
        description=criterion.get("description") or "",
        weight=_weight(criterion),
    )


def _weight(criterion: Row) -> float:
    """Its own, else that of its annotations, like important_weight; 1 where there is none."""
    annotations = criterion.get("annotations")
    noted = annotations.items() if isinstance(annotations, Mapping) else ()
    weights = [value for name, value in noted if str(name).endswith("_weight")]
    return next((float(each) for each in (criterion.get("weight"), *weights) if _counts(each)), 1.0)


def _counts(weight: Any) -> bool:
    try:
        return isinstance(weight, int | float) and math.isfinite(weight)
    except OverflowError:  # an integer beyond any float
        return False
