"""Pictures of a comparison: scores pair by pair, distributions."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from apps.analysis.comparing import arrays_of
from apps.analysis.models import Comparison
from apps.metrics.contracts import Distribution
from apps.web.charts import Picture, distributions, paired_scatter
from apps.web.drawing import Unit

from . import sides, words
from .choosing import Chosen

Values = npt.NDArray[np.float32]

SCORE = "score_mean"
_SHAPES: tuple[tuple[str, str, Unit], ...] = (
    ("score_mean", "Scores", "score"),
    ("latency_p50", "Latency", "ms"),
)


class Shown(NamedTuple):
    title: str
    hint: str
    picture: Picture


def pictures_of(chosen: Chosen, comparison: Comparison, runs: Sequence[sides.Line]) -> list[Shown]:
    """Those that there are numbers for; of scores that are 0 or 1 all is said in the tables."""
    before, after = _scores(comparison)
    if is_all_or_nothing(before) and is_all_or_nothing(after):
        return list(_distributions(chosen, runs, but=SCORE))
    return [*_scatter(chosen, before, after), *_distributions(chosen, runs)]


def is_all_or_nothing(values: Values) -> bool:
    known = values[~np.isnan(values)]
    return bool(np.isin(known, (0, 1)).all())


def _scores(comparison: Comparison) -> tuple[Values, Values]:
    nothing = np.empty(0, dtype=np.float32)
    return arrays_of(comparison).values.get(SCORE) or (nothing, nothing)


def _scatter(chosen: Chosen, before: Values, after: Values) -> Iterator[Shown]:
    both = ~(np.isnan(before) | np.isnan(after))
    if not both.any():
        return
    labels = (chosen.baseline.letter, chosen.candidate.letter)
    drawn = paired_scatter(
        before[both].tolist(),
        after[both].tolist(),
        unit=words.name_of(SCORE).unit,
        name="Scores record by record",
        labels=labels,
    )
    hint = f"Above the diagonal {labels[1]} scores more than {labels[0]}"
    yield Shown("Scores record by record", hint, drawn)


def _distributions(chosen: Chosen, runs: Sequence[sides.Line], but: str = "") -> Iterator[Shown]:
    pair = [line for line in runs if line.side in (chosen.baseline, chosen.candidate)]
    for metric, title, unit in _SHAPES:
        series = {line.side.letter: line.shapes[metric] for line in pair if _has(line, metric)}
        if len(series) == 2 and metric != but:
            drawn = distributions(series, unit=unit, name=title)
            yield Shown(title, "Share of each run's own results", drawn)


def _has(line: sides.Line, metric: str) -> bool:
    shape: Distribution | None = line.shapes.get(metric)
    return shape is not None and shape.count > 0
