"""Labels as a table, and as how often each item has each label."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse

from apps.metrics.arrays import Floats, Integers, Matrix, finite
from apps.metrics.labels import Level
from apps.metrics.results import Frame

COLUMNS = ["item", "annotator", "label"]


@dataclass(frozen=True)
class Counts:
    """How often each label is on an item; items with the same labels are one kind.

    `matrix` is kinds × labels, `items` how many items are of each kind, `names` the labels in
    their order, `values` what they are as numbers (None where one is not).
    """

    matrix: Matrix
    items: Integers
    names: list[str]
    values: Floats | None

    @property
    def raters(self) -> Floats:
        """Of an item of each kind."""
        return np.asarray(self.matrix.sum(axis=1), dtype=np.float64)

    @property
    def totals(self) -> Integers:
        """How often each label was given."""
        return (self.items @ self.matrix).astype(np.int64)


def table_of(frame: Frame) -> pd.DataFrame:
    """The rows with a label; ValueError where somebody has two labels on an item."""
    given = pd.DataFrame(frame)
    missing = [name for name in COLUMNS if name not in given]
    if missing:
        raise ValueError(f"the frame lacks the columns {', '.join(missing)}")
    table = given[COLUMNS].dropna(subset="label")
    table = table[table["label"] != ""].reset_index(drop=True)
    twice = table.duplicated(["item", "annotator"])
    if twice.any():
        item, annotator = table.loc[twice, ["item", "annotator"]].iloc[0]
        raise ValueError(f"{annotator} has two labels on {item}")
    return table


def counts_of(table: pd.DataFrame, level: Level = "nominal") -> Counts:
    """Of numbers with an order 4 and 4.0 are one label, as names they are two."""
    items, every = pd.factorize(table["item"])
    codes, names = pd.factorize(table["label"].astype(str))
    values = _numbers(names)
    sorted_by = names.to_numpy(dtype=object) if values is None or level == "nominal" else values
    _, first, place = np.unique(sorted_by, return_index=True, return_inverse=True)
    matrix = sparse.csr_array(
        (np.ones(len(items)), (items, place[codes])), shape=(len(every), len(first))
    )
    matrix.sum_duplicates()
    kinds, held = _kinds(matrix)
    ordered = None if values is None else values[first]
    return Counts(kinds, held, [str(names[each]) for each in first], ordered)


def _numbers(names: pd.Index) -> Floats | None:
    values = finite(pd.to_numeric(pd.Series(names, dtype=object), errors="coerce"))
    return None if np.isnan(values).any() else values


def _kinds(matrix: Matrix) -> tuple[Matrix, Integers]:
    """Each row that there is once, and how often: a thousand resamples cost the fewer."""
    seen: dict[tuple[bytes, bytes], int] = {}
    kind = np.array([seen.setdefault(key, len(seen)) for key in _rows(matrix)], np.int64)
    _, first = np.unique(kind, return_index=True)
    return sparse.csr_array(matrix[first]), np.bincount(kind, minlength=len(seen))


def _rows(matrix: Matrix) -> Iterator[tuple[bytes, bytes]]:
    for start, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        yield matrix.indices[start:end].tobytes(), matrix.data[start:end].tobytes()
