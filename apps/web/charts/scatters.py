"""Scatters: what each record has in two runs."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from apps.web.drawing import Unit, add, clipped, say, text_of

from .pictures import Picture
from .plots import nothing
from .squares import SIDE, Square
from .whiskers import axis_range

Floats = npt.NDArray[np.float64]

CELLS = 40
"""To a side."""
_LARGEST, _SMALLEST = 9.0, 1.2
"""Radii."""
_EACH_TOLD = 300
"""Up to so many dots say their numbers when pointed at; the data has all of them."""
_LONG_TAILED: tuple[Unit, ...] = ("ms", "usd", "count")


class _Cell(NamedTuple):
    """What falls together: the means of its pairs, and how many they are."""

    baseline: float
    candidate: float
    held: int


class _Pairs(NamedTuple):
    """`above` have more in the candidate, `beyond` lie off the scale (low to high) and are drawn
    at its edge, `without` lack one of the values."""

    cells: list[_Cell]
    low: float
    high: float
    n: int
    above: int
    below: int
    beyond: int
    without: int


def paired_scatter(
    baseline: npt.ArrayLike,
    candidate: npt.ArrayLike,
    *,
    unit: Unit,
    name: str,
    labels: tuple[str, str] = ("baseline", "candidate"),
) -> Picture:
    """One value of each record in both runs, in the same order; NaN where it has none.

    Gathered in at most 40 by 40 cells: the area of a dot says how many, its place is their mean.
    """
    before, after = np.asarray(baseline, np.float64), np.asarray(candidate, np.float64)
    pairs = _gathered(before, after, long_tailed=unit in _LONG_TAILED)
    alt = _words(pairs, name, labels)
    return Picture(
        name=name,
        svg=_drawn(pairs, unit, alt, labels),
        alt=alt,
        columns=(f"{labels[0]} (mean)", f"{labels[1]} (mean)", "count"),
        rows=tuple(pairs.cells),
    )


def _gathered(before: Floats, after: Floats, *, long_tailed: bool) -> _Pairs:
    if before.shape != after.shape:
        raise ValueError("a scatter needs as many values of one run as of the other")
    known = np.isfinite(before) & np.isfinite(after)
    x, y = before[known], after[known]
    low, high = _ends(np.concatenate([x, y]), long_tailed=long_tailed)
    return _Pairs(
        cells=_cells(x, y, low, high),
        low=low,
        high=high,
        n=len(x),
        above=int((y > x).sum()),
        below=int((y < x).sum()),
        beyond=int(((x > high) | (y > high)).sum()),
        without=int((~known).sum()),
    )


def _ends(values: Floats, *, long_tailed: bool) -> tuple[float, float]:
    """Twice the 95th percentile ends a long tail: one slow call must not press all others into a
    corner."""
    if not len(values):
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    tail = 2 * float(np.quantile(values, 0.95))
    return low, min(high, max(tail, low)) if long_tailed else high


def _cells(x: Floats, y: Floats, low: float, high: float) -> list[_Cell]:
    if not len(x):
        return []
    places = _place(x, low, high) * CELLS + _place(y, low, high)
    counts = np.bincount(places)
    held = np.flatnonzero(counts)
    sums = [np.bincount(places, weights=values)[held] for values in (x, y)]
    return [
        _Cell(float(f"{across / count:.6g}"), float(f"{up / count:.6g}"), int(count))
        for across, up, count in zip(*sums, counts[held], strict=True)
    ]


def _place(values: Floats, low: float, high: float) -> npt.NDArray[np.int64]:
    if high <= low:
        return np.zeros(len(values), np.int64)
    share = values / (high - low) - low / (high - low)
    return np.clip(share * CELLS, 0, CELLS - 1).astype(np.int64)


def _words(pairs: _Pairs, name: str, labels: tuple[str, str]) -> str:
    if not pairs.n:
        return f"{name}: no record has a value in both"
    same = pairs.n - pairs.above - pairs.below
    words = [
        f"{name}, n = {pairs.n:,}: {pairs.above:,} have more in {labels[1]}, {pairs.below:,} less, "
        f"{same:,} the same as in {labels[0]}"
    ]
    words += [f"{pairs.beyond:,} off the scale are drawn at its edge"] * bool(pairs.beyond)
    words += [f"{pairs.without:,} without a value in both are left out"] * bool(pairs.without)
    return "; ".join(words)


def _drawn(pairs: _Pairs, unit: Unit, alt: str, labels: tuple[str, str]) -> str:
    if not pairs.n:
        return nothing("scatter", alt, "No record has a value in both")
    scale = axis_range((), also=[pairs.low, pairs.high], unit=unit)
    square = Square.drawn("scatter", alt, scale, scale, (unit, unit), labels)
    square.diagonal()
    most, widest = max(cell.held for cell in pairs.cells), _widest(pairs.cells)
    for cell in sorted(pairs.cells, key=lambda cell: -cell.held):
        x, y = square.along(cell.baseline), square.down(cell.candidate)
        radius = round(max(widest * math.sqrt(cell.held / most), _SMALLEST), 2)
        mark = add(square.svg, "circle", cls="cell", cx=x, cy=y, r=radius)
        if len(pairs.cells) <= _EACH_TOLD:
            add(mark, "title").text = _told(cell, unit, labels)
    square.corner("start", f"{pairs.above:,} more in {clipped(labels[1], 20)}")
    square.corner("end", f"{pairs.below:,} less")
    return text_of(square.svg)


def _widest(cells: list[_Cell]) -> float:
    """The fewer cells there are, the larger the dots that do not touch."""
    side = len({cell.baseline for cell in cells} | {cell.candidate for cell in cells})
    return min(_LARGEST, max(SIDE / 2 / CELLS, SIDE / 3 / side))


def _told(cell: _Cell, unit: Unit, labels: tuple[str, str]) -> str:
    return (
        f"{labels[0]} {say(cell.baseline, unit)}, {labels[1]} {say(cell.candidate, unit)}: "
        f"{cell.held:,}"
    )
