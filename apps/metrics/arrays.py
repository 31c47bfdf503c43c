"""The array types of this chapter, and how cells (slices) lie over observations."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]
Matrix = sparse.csr_array[np.float64, tuple[int, int]]
"""Cells in rows; records, observations or clusters in columns."""


def finite(values: npt.ArrayLike) -> Floats:
    """The values as floats; what is not a finite number is NaN, the mark of "not known"."""
    floats = np.asarray(values, dtype=np.float64)
    return np.where(np.isfinite(floats), floats, np.nan)


def membership(cells: Sequence[Integers], columns: int) -> Matrix:
    """A one where a cell holds a column; each cell lists its columns once."""
    starts = np.concatenate([[0], np.cumsum([len(cell) for cell in cells], dtype=np.int64)])
    indices = np.concatenate([np.empty(0, np.int64), *cells])
    return sparse.csr_array(
        (np.ones(len(indices)), indices, starts.astype(np.int64)), shape=(len(cells), columns)
    )


def scaled(matrix: Matrix, factors: Floats) -> Matrix:
    """The matrix with each column times its factor, and without zeros."""
    product = matrix.copy()
    product.data *= factors[matrix.indices]
    product.eliminate_zeros()
    return product


def gathered(matrix: Matrix, groups: Integers) -> Matrix:
    """The matrix with the columns of each group added up; groups are numbered from 0."""
    width = int(groups.max()) + 1 if len(groups) else 0
    sums = sparse.csr_array(
        (matrix.data, groups[matrix.indices], matrix.indptr),
        shape=(matrix.shape[0], width),
        copy=True,
    )
    sums.sum_duplicates()
    return sums


def row_sums(matrix: Matrix) -> Floats:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64)


def ratio(numerators: Floats, denominators: Floats) -> Floats:
    """NaN where the denominator is zero."""
    known = denominators != 0
    return np.divide(numerators, denominators, out=np.full(known.shape, np.nan), where=known)
