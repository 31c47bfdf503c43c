"""The runs that are compared, a line each: what they are and what they came to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.analysis.calibration.judging import Judges, named, who_judged
from apps.metrics.contracts import Distribution, Interval
from apps.runs.contracts import TargetPlan
from apps.runs.models import Summary
from apps.runs.queries.figures import NOT_YET, interval_of, missing
from apps.runs.queries.listing import target_of

from .choosing import Chosen, Side
from .correcting import Beside, corrected

_LISTED = ("pass_rate", "score_mean", "latency_p50", "latency_p95", "total_tokens_sum", "cost_sum")


@dataclass(frozen=True)
class Line:
    """A run of the table with its own numbers, over all of its records."""

    side: Side
    target: TargetPlan
    judged_by: str
    """Who, by name; empty where no judge did."""
    metrics: Mapping[str, Interval]
    shapes: Mapping[str, Distribution]
    corrected: Beside | None
    """Of the pass rate, where judges have a say in it."""

    def of(self, metric: str) -> Interval:
        return self.metrics.get(metric) or missing(NOT_YET)

    @property
    def pass_rate(self) -> Interval:
        return self.of("pass_rate")

    @property
    def score(self) -> Interval:
        return self.of("score_mean")

    @property
    def latency(self) -> Interval:
        return self.of("latency_p95")

    @property
    def tokens(self) -> Interval:
        return self.of("total_tokens_sum")

    @property
    def cost(self) -> Interval:
        return self.of("cost_sum")


def lines_of(chosen: Chosen) -> list[Line]:
    """In the order of the letters; as many queries for eight runs as for two."""
    found: dict[str, list[Summary]] = {side.run.pk: [] for side in chosen.sides}
    rows = Summary.objects.filter(run__in=found, family="", value="", metric__in=_LISTED)
    for row in rows:
        found[row.run_id].append(row)
    beside = corrected(chosen.runs, "pass_rate")
    judges = who_judged(chosen.runs)
    return [
        _line(side, found[side.run.pk], judges[side.run.pk], beside[side.run.pk])
        for side in chosen.sides
    ]


def _line(side: Side, rows: Sequence[Summary], judges: Judges, beside: Beside | None) -> Line:
    return Line(
        side=side,
        target=target_of(side.run),
        judged_by=named(judges),
        metrics={row.metric: interval_of(row) for row in rows},
        shapes={row.metric: Distribution.model_validate(row.shape) for row in rows if row.shape},
        corrected=beside,
    )
