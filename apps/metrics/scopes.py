"""What a number is of: the whole run, or all its slices at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from apps.metrics import cells as estimates
from apps.metrics.arrays import Floats
from apps.metrics.cells import Averaged, Cells
from apps.metrics.contracts import TOO_FEW, Distribution, Interval, Metric
from apps.metrics.results import Results, RuleScores


@dataclass(frozen=True)
class Scope:
    """The whole run, or all its slices; `keys` names the family and value of each cell."""

    results: Results
    rules: Sequence[RuleScores]
    keys: Sequence[tuple[str, str]]
    cells: Cells

    def metrics(
        self,
        metric: str,
        intervals: Sequence[Interval],
        *,
        records: Floats | None = None,
        shape: Distribution | None = None,
    ) -> Iterator[Metric]:
        """One of each cell; `records` says how many stand behind it where that is not n."""
        behind = [one.n for one in intervals] if records is None else records.tolist()
        for (family, value), interval, size in zip(self.keys, intervals, behind, strict=True):
            yield Metric(
                family=family,
                value=value,
                metric=metric,
                interval=interval,
                too_few=size < TOO_FEW,
                shape=shape,
            )

    def rates(self, metric: str, hits: Floats, tries: Floats, nothing: str) -> Iterator[Metric]:
        """The rate of hits among tries, both per record."""
        intervals = estimates.rates(self.cells, hits, tries, nothing=nothing)
        records = self.cells.total((tries > 0).astype(float))
        return self.metrics(metric, intervals, records=records)


@dataclass(frozen=True)
class Average:
    """A mean that waits for the one bootstrap which serves them all."""

    scope: Scope
    metric: str
    averaged: Averaged
    shape: Distribution | None = None
