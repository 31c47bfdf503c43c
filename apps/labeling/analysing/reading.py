"""All that the numbers of a campaign rest on, read in a few queries."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from apps.datasets.models import FacetMember
from apps.labeling.models import Annotation, Campaign, Question
from apps.labeling.settling.known import Known, Unit, known_answers, makers_of, shown_to
from apps.labeling.settling.truth import Task, calibration_share

COLUMNS = ("item", "run", "ordinal", "question", "task", "annotator", "label", "at")
_PATHS = (
    "item", "item__result__run", "item__result__ordinal", "question", "question__task_type",
    "annotator", "label", "annotated_at",
)  # fmt: skip

_GIVEN = ("item", "question", "annotator", "user", "annotated_at")

ELSEWHERE = -1
"""The ordinal of an answer of another run: a hidden gold item is in none of this run's slices."""

Slices = Mapping[str, Mapping[str, "np.ndarray"]]
"""Of each family, the ordinals that have each value."""


@dataclass(frozen=True)
class Labels:
    """`counted` and `discarded` have the COLUMNS; a discard's label is its reason.

    `calibration`: the items of the calibration share by task. By question: `gold`, the known
    answers of items, and `own`, the items and annotators of those that the annotator had a part
    in, or may have read first.
    """

    questions: list[Question]
    counted: pd.DataFrame
    discarded: pd.DataFrame
    calibration: set[Task]
    slices: Slices
    gold: Mapping[int, Mapping[Any, str]]
    own: Mapping[int, Set[tuple[Any, str]]]


def read(campaign: Campaign) -> Labels:
    given = Annotation.objects.filter(question__campaign=campaign)
    discards = given.exclude(discard_reason="")
    known = known_answers(campaign)
    reasons = [path if path != "label" else "discard_reason" for path in _PATHS]
    return Labels(
        questions=list(campaign.questions.order_by("position", "task_type", "name", "pk")),
        counted=_frame(campaign, given.counted().values_list(*_PATHS)),
        discarded=_frame(campaign, discards.values_list(*reasons)),
        calibration=calibration_share(campaign),
        slices=_slices(campaign),
        gold=_by_question(known),
        own=_own(campaign, known),
    )


def _frame(campaign: Campaign, rows: Iterable[tuple[object, ...]]) -> pd.DataFrame:
    """In one order whatever the database's, so that the same labels give the same numbers."""
    frame = pd.DataFrame.from_records(list(rows), columns=list(COLUMNS))
    frame.loc[frame["run"] != campaign.run_id, "ordinal"] = ELSEWHERE
    frame["at"] = pd.to_datetime(frame["at"], utc=True)
    return frame.sort_values(["ordinal", "item", "question", "annotator"], ignore_index=True)


def _slices(campaign: Campaign) -> Slices:
    found: dict[str, dict[str, list[int]]] = {}
    members = FacetMember.objects.filter(facet__version=campaign.run.dataset_version_id)
    for family, value, ordinal in members.values_list("facet__family", "facet__value", "ordinal"):
        found.setdefault(family, {}).setdefault(value, []).append(ordinal)
    return {
        family: {value: np.array(ordinals) for value, ordinals in values.items()}
        for family, values in found.items()
    }


def _by_question(known: Mapping[Unit, Known]) -> dict[int, dict[int, str]]:
    found: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for (item, question), answer in known.items():
        found[question][item] = answer.label
    return found


def _own(campaign: Campaign, known: Mapping[Unit, Known]) -> dict[int, set[tuple[int, str]]]:
    """Six queries more where anything is known: people are told by their keys and their names."""
    found: defaultdict[int, set[tuple[int, str]]] = defaultdict(set)
    if not known:
        return found
    makers, shown = makers_of(campaign), shown_to(campaign)
    given = Annotation.objects.filter(
        question__campaign=campaign, item__in={item for item, _question in known}
    )
    for item, question, annotator, user, at in given.values_list(*_GIVEN):
        unit = known[item, question].unit if (item, question) in known else None
        if unit and ({annotator, user} & makers[unit] or shown[unit].to(user, at)):
            found[question].add((item, annotator))
    return found
