"""The panel of scores that were given elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.metrics.contracts import Interval
from apps.runs.later.calibrated import Held
from apps.runs.models import Run
from apps.runs.queries import Figures
from apps.runs.recorded.imported import Given, given_in
from apps.web.charts import AxisRange, axis_range


@dataclass(frozen=True)
class Line:
    """Scores of one rule, method and verifier, and what people found of them."""

    given: Given
    mean: Interval
    unscored: Interval
    held: Held | None


@dataclass(frozen=True)
class Imported:
    lines: Sequence[Line]
    scale: AxisRange

    @property
    def labels(self) -> set[str]:
        return {line.given.label for line in self.lines}


def imported(run: Run, figures: Figures, held: Mapping[str, Held]) -> Imported | None:
    """Each kind of score apart; one query, none for a run that asked somebody."""
    if run.kind not in (Run.Kind.RECORDED, Run.Kind.REGRADE):
        return None
    lines = [_line(given, figures, held) for given in given_in(run)]
    known = [line.mean for line in lines if line.mean.point is not None]
    return Imported(lines, axis_range(known))


def _line(given: Given, figures: Figures, held: Mapping[str, Held]) -> Line:
    metric = f"rule:{given.label}"
    mean, unscored = figures.of(f"{metric}:mean"), figures.of(f"{metric}:unscored")
    return Line(given, mean, unscored, held.get(given.label))
