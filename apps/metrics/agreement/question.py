"""Everything that is said of the agreement on one question."""

from collections.abc import Collection

from apps.metrics.contracts import Interval
from apps.metrics.labels import Agreement, Level, Marginal
from apps.metrics.results import Frame

from .ac1 import ac1
from .alpha import alpha
from .explaining import why_they_differ
from .labelled import Counts, counts_of, table_of
from .observed import agreeing, percent_agreed
from .resampling import METHOD, Estimate, bootstrapped

NO_PAIRS = "no item has labels of two people"


def of_question(
    frame: Frame, *, level: Level = "nominal", seed: int = 0, options: Collection[str] = ()
) -> Agreement:
    """Percent, alpha at this level and AC1, each with a bootstrap over items (1,000 resamples).

    `options` are the labels that could have been given, where that is known: AC1 counts them.
    Where labels are not numbers, an ordinal or interval alpha is None with that reason.
    """
    table = table_of(frame)
    counts = counts_of(table, level)
    raters = counts.raters
    paired = raters > 1
    measured = _Measured(counts, seed)
    found = Agreement(
        level=level,
        items=measured.n,
        alone=int(counts.items[~paired].sum()),
        raters=int(table["annotator"].nunique()),
        pairs=int(counts.items @ (raters * (raters - 1) / 2)),
        labels=len(table),
        marginals=tuple(
            Marginal(label=name, count=count)
            for name, count in zip(counts.names, counts.totals.tolist(), strict=True)
        ),
        percent=percent_agreed(agreeing(counts), counts.items, seed=seed, nothing=NO_PAIRS),
        alpha=_alpha(measured, level),
        ac1=_ac1(measured, len({*counts.names, *options})),
    )
    return found.model_copy(update={"explanation": why_they_differ(found)})


class _Measured:
    def __init__(self, counts: Counts, seed: int) -> None:
        self.counts = counts
        self.n = int(counts.items[counts.raters > 1].sum())
        self.seed = seed

    def interval(self, estimate: Estimate) -> Interval:
        width = max(self.counts.matrix.shape)
        return bootstrapped(
            estimate, self.counts.items, n=self.n, width=width, seed=self.seed, nothing=NO_PAIRS
        )


def _alpha(measured: _Measured, level: Level) -> Interval:
    counts = measured.counts
    if level != "nominal" and counts.values is None:
        why = f"{level} needs labels that are numbers"
        return Interval(point=None, low=None, high=None, n=measured.n, method=METHOD, reason=why)
    return measured.interval(lambda weights: alpha(counts, weights, level))


def _ac1(measured: _Measured, categories: int) -> Interval:
    counts = measured.counts
    return measured.interval(lambda weights: ac1(counts, weights, categories=categories))
