"""Bins of distributions, and the same bins for several."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping

from apps.metrics.contracts import Distribution, nice_step

_FURTHER = 12
"""Round widths that are tried: each two of them have a common multiple among the next few."""


def bins_of(distribution: Distribution) -> list[tuple[float, float, int]]:
    edges = distribution.edges
    return list(zip(edges, edges[1:], distribution.counts, strict=False))


def in_common_bins(series: Mapping[str, Distribution]) -> Mapping[str, Distribution]:
    """With the finest bins that hold whole bins of each; widths are round and begin at 0."""
    widths = {end - start for one in series.values() for start, end, _count in bins_of(one)}
    if not widths:
        return series
    width = _common(widths)
    return {label: _regrouped(one, width) for label, one in series.items()}


def _common(widths: set[float]) -> float:
    largest = max(widths)
    held = (each for each in _round_from(largest) if all(_divides(one, each) for one in widths))
    return next(held, largest)


def _round_from(width: float) -> Iterator[float]:
    for _ in range(_FURTHER):
        yield width
        width = nice_step(width * 1.01, 1)


def _divides(part: float, whole: float) -> bool:
    return abs(whole / part - round(whole / part)) < 1e-6 * whole / part


def _regrouped(one: Distribution, width: float) -> Distribution:
    if not one.counts:
        return one
    held = Counter[int]()
    for start, end, count in bins_of(one):
        held[math.floor((start + end) / 2 / width)] += count
    places = range(min(held), max(held) + 1)
    edges = [round(place * width, 10) for place in (*places, places[-1] + 1)]
    if one.above:  # how many of these lie in the rest of the last bin is not known
        edges[-1] = one.edges[-1]
    return one.model_copy(
        update={"edges": tuple(edges), "counts": tuple(held[place] for place in places)}
    )
