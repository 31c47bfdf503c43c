"""Cohen's kappa of every two people (Cohen 1960)."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from apps.metrics.arrays import Floats, Integers, Matrix, membership, ratio
from apps.metrics.contracts import Interval
from apps.metrics.labels import PairAgreement, Pairs
from apps.metrics.results import Frame

from .labelled import table_of
from .observed import percent_agreed
from .resampling import METHOD, bootstrapped

MOST_PEOPLE = 60
MOST_PAIRS = 100
NOTHING_SHARED = "they have no item in common"
CHANCE_IS_ALL = "both gave the same one label throughout: chance alone would agree as well"


def of_pairs(frame: Frame, *, seed: int = 0) -> Pairs:
    """The 100 pairs with the most shared items, among the 60 people with the most labels."""
    table = table_of(frame)
    everyone = table["annotator"].nunique()
    people = sorted(table["annotator"].value_counts().index[:MOST_PEOPLE].tolist(), key=str)
    wide = _wide(table, people)
    ranked = sorted(
        (_Two(a, b, *_shared(wide, a, b)) for a, b in combinations(range(len(people)), 2)),
        key=lambda two: -len(two.first),
    )
    listed = tuple(_agreement(two, people, seed) for two in ranked[:MOST_PAIRS])
    return Pairs(listed=listed, left_out=everyone * (everyone - 1) // 2 - len(listed))


def kappa_of(first: Integers, second: Integers, *, seed: int) -> Interval:
    """Cohen's kappa of two label codes an item, with a bootstrap over items."""
    cells, items, codes = _cells(first, second)
    if not len(first):
        return _absent(0, NOTHING_SHARED)
    a, b = (_held(side, codes) for side in cells)
    same = cells[0] == cells[1]

    def kappa(weights: Floats) -> Floats:
        n = weights.sum(axis=1)
        observed = ratio(weights @ same, n)
        by_chance = np.asarray(weights @ a) * np.asarray(weights @ b)
        expected = ratio(by_chance.sum(axis=1), n * n)
        return np.where(expected < 1, ratio(observed - expected, 1 - expected), np.nan)

    return bootstrapped(kappa, items, n=len(first), width=codes, seed=seed, nothing=CHANCE_IS_ALL)


class _Two(NamedTuple):
    """Their places among the people, and their labels on the items that both have."""

    a: int
    b: int
    first: Integers
    second: Integers


def _wide(table: pd.DataFrame, people: list[str]) -> Integers:
    """People × items: the code of a label, -1 for none."""
    items, names = pd.factorize(table["item"])
    codes, _ = pd.factorize(table["label"].astype(str))
    rows = pd.Index(people).get_indexer(pd.Index(table["annotator"]))
    wide = np.full((len(people), len(names)), -1, np.int64)
    wide[rows[rows >= 0], items[rows >= 0]] = codes[rows >= 0]
    return wide


def _shared(wide: Integers, a: int, b: int) -> tuple[Integers, Integers]:
    both = (wide[a] >= 0) & (wide[b] >= 0)
    return wide[a][both], wide[b][both]


def _agreement(two: _Two, people: list[str], seed: int) -> PairAgreement:
    return PairAgreement(
        first=str(people[two.a]),
        second=str(people[two.b]),
        items=len(two.first),
        percent=_percent(two, seed),
        kappa=kappa_of(two.first, two.second, seed=seed),
    )


def _percent(two: _Two, seed: int) -> Interval:
    agreed = int((two.first == two.second).sum())
    items = np.array([agreed, len(two.first) - agreed])
    return percent_agreed(np.array([1.0, 0.0]), items, seed=seed, nothing=NOTHING_SHARED)


def _cells(first: Integers, second: Integers) -> tuple[Integers, Integers, int]:
    """The pairs of labels that occur (2 × cells), how often each, and how many labels."""
    names, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
    pairs = codes.reshape(2, -1)
    cells, items = np.unique(pairs, axis=1, return_counts=True)
    return cells, items, len(names)


def _held(side: Integers, codes: int) -> Matrix:
    """Cells × labels: a one where the cell has the label."""
    return membership([np.array([code]) for code in side], codes)


def _absent(n: int, why: str) -> Interval:
    return Interval(point=None, low=None, high=None, n=n, method=METHOD, reason=why)
