"""Each person against the others, and against answers that are known."""

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd

from apps.metrics import intervals
from apps.metrics.labels import PersonAgreement
from apps.metrics.results import Frame

from .labelled import table_of

NO_CONSENSUS = "on no item do the others agree on a label"
NO_GOLD = "no item has a known answer"


def of_people(
    frame: Frame,
    *,
    gold: Mapping[str, str] | None = None,
    own: Collection[tuple[str, str]] = (),
) -> tuple[PersonAgreement, ...]:
    """Everybody, those with the most labels first; `gold` is the known label of an item.

    `own` are items and the annotators who made what is known of them: it says nothing of these.

    The consensus is the strict majority of the others' labels on the item, so that nobody is
    held against their own label.
    """
    table = table_of(frame)
    if table.empty:
        return ()
    outcome = _against_the_others(table)
    known = table["item"].map(gold or {}).mask(_is_own(table, own))
    table = table.assign(
        labels=1,
        agrees=outcome == "agrees",
        decided=np.isin(outcome, ("agrees", "differs")),
        undecided=outcome == "undecided",
        alone=outcome == "alone",
        right=(known == table["label"]) & known.notna(),
        known=known.notna(),
    )
    sums = table.groupby("annotator", sort=True)[list(table.columns[3:])].sum().astype(int)
    consensus = intervals.rates(sums["agrees"], sums["decided"], nothing=NO_CONSENSUS)
    against = intervals.rates(sums["right"], sums["known"], nothing=NO_GOLD)
    people = [
        PersonAgreement(
            annotator=str(name), labels=size, undecided=undecided, alone=alone,
            consensus=one, gold=other,
        )
        for name, size, undecided, alone, one, other in zip(
            sums.index, *(sums[each].tolist() for each in ("labels", "undecided", "alone")),
            consensus, against, strict=True,
        )
    ]  # fmt: skip
    return tuple(sorted(people, key=lambda person: -person.labels))


def _is_own(table: pd.DataFrame, own: Collection[tuple[str, str]]) -> np.ndarray:
    said = zip(table["item"], table["annotator"], strict=True)
    return np.fromiter((each in own for each in said), dtype=bool, count=len(table))


def _against_the_others(table: pd.DataFrame) -> np.ndarray:
    """agrees, differs, undecided or alone, of each row."""
    item = table.groupby("item")
    others = item["label"].transform("size").to_numpy() - 1
    own = table.groupby(["item", "label"])["annotator"].transform("size").to_numpy()
    rival = _most_of_another(table, own)
    conditions = [others == 0, 2 * (own - 1) > others, 2 * rival > others]
    return np.select(conditions, ["alone", "agrees", "differs"], "undecided")


def _most_of_another(table: pd.DataFrame, own: np.ndarray) -> np.ndarray:
    """How many of the others have their most frequent label that is not the row's."""
    votes = table.groupby(["item", "label"], sort=False).size().rename("votes").reset_index()
    votes = votes.sort_values(["item", "votes"], ascending=[True, False], kind="stable")
    top = votes.groupby("item", sort=False).nth(0).set_index("item")
    second = votes.groupby("item", sort=False).nth(1).set_index("item")["votes"]
    is_top = table["label"].to_numpy() == table["item"].map(top["label"]).to_numpy()
    first = table["item"].map(top["votes"]).to_numpy()
    then = table["item"].map(second).fillna(0).to_numpy()
    return np.where(is_top, then, first)
