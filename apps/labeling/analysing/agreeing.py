"""The agreement on one question: as a whole, pair by pair, over time and by slice."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, cast

import numpy as np
import pandas as pd

from apps.labeling.models import Question
from apps.metrics import agreement
from apps.metrics.contracts import TOO_FEW
from apps.metrics.labels import Agreement, Level, Pairs
from apps.runs.queries.figures import FAMILY_ORDER

from .contracts import (
    Asked,
    FamilyFigures,
    Figures,
    OverTime,
    Part,
    QuestionAgreement,
    SliceFigures,
)
from .reading import Slices

MOST_PARTS = 10
MOST_DAYS = 60
MOST_FAMILIES = 12
MOST_SLICES = 20
"""Of a family, those with the most items: a thousand resamples each have their price."""


def agreement_on(
    question: Question, asked: Asked, rows: pd.DataFrame, slices: Slices
) -> QuestionAgreement:
    shared = rows[rows.groupby("item")["label"].transform("size") > 1]
    return QuestionAgreement(
        asked=asked,
        agreement=_measured(question, rows),
        pairs=_pairs(shared),
        over_time=_over_time(question, shared),
        families=_by_slice(question, shared, slices),
    )


def _pairs(shared: pd.DataFrame) -> Pairs:
    """Of people who have an item in common."""
    found = agreement.of_pairs(shared)
    return found.model_copy(update={"listed": tuple(pair for pair in found.listed if pair.items)})


def _measured(question: Question, rows: pd.DataFrame) -> Agreement:
    level = cast(Level, question.level)
    return agreement.of_question(rows, level=level, options=_options(question))


def _options(question: Question) -> tuple[str, ...]:
    """The labels that could have been given, as far as that is known."""
    if question.kind == Question.Kind.YES_NO:
        return ("true", "false")
    if question.kind == Question.Kind.SEVERAL:
        return ()
    return tuple(str(value) for value, _title in question.options)


def _figures(question: Question, rows: pd.DataFrame) -> Figures:
    items = rows["item"].nunique()
    if items < TOO_FEW:
        return Figures(items=items)
    found = _measured(question, rows)
    return Figures(items=items, percent=found.percent, alpha=found.alpha, ac1=found.ac1)


# -- over time ------------------------------------------------------------------------------


class _Cut(NamedTuple):
    by: Literal["day", "part", "none"]
    items: list[pd.Index]


def _over_time(question: Question, shared: pd.DataFrame) -> OverTime:
    moments = shared.groupby("item")["at"].max()
    undated = int(moments.isna().sum())
    known = moments.dropna().sort_values(kind="stable")
    cut = _cut(known)
    if cut.by == "none":
        return OverTime(by="none", undated=undated, why=_too_few(len(known)))
    parts = tuple(_part(question, shared, known[items]) for items in cut.items)
    return OverTime(by=cut.by, parts=parts, undated=undated)


def _cut(moments: "pd.Series[pd.Timestamp]") -> _Cut:
    """By day where every day has enough items, else in at most ten parts of equal size."""
    days = [rows.index for _, rows in moments.groupby(moments.dt.date)]
    if 1 < len(days) <= MOST_DAYS and min(map(len, days)) >= TOO_FEW:
        return _Cut("day", days)
    parts = min(MOST_PARTS, len(moments) // TOO_FEW)
    if parts < 2:
        return _Cut("none", [])
    return _Cut(
        "part", [moments.index[each] for each in np.array_split(np.arange(len(moments)), parts)]
    )


def _part(question: Question, shared: pd.DataFrame, moments: "pd.Series[pd.Timestamp]") -> Part:
    return Part(
        start=moments.min().to_pydatetime(),
        end=moments.max().to_pydatetime(),
        figures=_figures(question, shared[shared["item"].isin(moments.index)]),
    )


def _too_few(items: int) -> str:
    """Two points in time, each with enough items."""
    known = "item has" if items == 1 else "items have"
    return (
        f"{items:,} {known} dated labels of two people. A line over time takes "
        f"{2 * TOO_FEW}: two points of {TOO_FEW} items."
    )


# -- by slice -------------------------------------------------------------------------------


def _by_slice(
    question: Question, shared: pd.DataFrame, slices: Slices
) -> tuple[FamilyFigures, ...]:
    families = sorted(slices, key=lambda family: (_rank(family, slices), family))
    return tuple(
        _family(question, shared, family, slices[family]) for family in families[:MOST_FAMILIES]
    )


def _rank(family: str, slices: Slices) -> tuple[bool, int]:
    """As on the run's page: families that cut it in parts first."""
    known = FAMILY_ORDER.index(family) if family in FAMILY_ORDER else len(FAMILY_ORDER)
    return len(slices[family]) < 2, known


def _family(
    question: Question, shared: pd.DataFrame, family: str, values: Mapping[str, np.ndarray]
) -> FamilyFigures:
    found = {value: shared[shared["ordinal"].isin(members)] for value, members in values.items()}
    ranked = sorted(found, key=lambda value: (-found[value]["item"].nunique(), value))
    return FamilyFigures(
        family=family,
        slices=tuple(
            SliceFigures(value=value, figures=_figures(question, found[value]))
            for value in ranked[:MOST_SLICES]
        ),
        left_out=len(ranked[MOST_SLICES:]),
    )
