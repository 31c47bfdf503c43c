"""The summary of a run: every number of the run page and of the metrics artifacts.

For the whole run: the fields of Denominators; `pass_rate`, `failure_rate`; `score_mean` and
`latency_p50` (both with a shape), `latency_p95`; `input_tokens_…`, `output_tokens_…`,
`total_tokens_…` and `cost_…` as `…_sum` and `…_mean`; for each rule `rule:<name>:pass_rate`,
`rule:<name>:mean` (with a shape) and `rule:<name>:unscored`. For each slice: `n`, `pass_rate`,
`failure_rate`, `score_mean`, `latency_p50`, `latency_p95`, `cost_sum`, `cost_mean` and
`rule:<name>:pass_rate`.

Scores and latencies are of evaluated results; tokens and cost are of every result, because what
failed was paid for as well. Rates count results, means average the trials of a record first, and
intervals hold groups and trials together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from apps.contract import Contract
from apps.metrics import cells as estimates
from apps.metrics import distributions
from apps.metrics.arrays import Floats
from apps.metrics.cells import Averaged, Cells
from apps.metrics.contracts import Distribution, Interval, counted
from apps.metrics.denominators import denominators
from apps.metrics.results import (
    Frame,
    Results,
    RuleScores,
    read_results,
    read_scores,
)

TOO_FEW = 20
TOKENS = ("input_tokens", "output_tokens", "total_tokens")


class Metric(Contract):
    """One number of the whole run (family and value '') or of a slice.

    `too_few`: fewer than 20 records stand behind it, so nobody should judge by it.
    """

    family: str = ""
    value: str = ""
    metric: str
    interval: Interval
    too_few: bool
    shape: Distribution | None = None

    @property
    def n(self) -> int:
        return self.interval.n


def summarise(
    results: Frame,
    scores: Frame,
    slices: Mapping[tuple[str, str], npt.ArrayLike],
    *,
    invalid: int = 0,
    seed: int,
) -> list[Metric]:
    """The metrics of a run, the whole first.

    `results`: the columns of `results.COLUMNS`, a row per record and trial; latencies in ms, cost
    in the currency of the target, '' for no group. `scores`: ordinal, trial, rule, value, verdict.
    `slices`: the ordinals of each (family, value). `invalid`: how many records were rejected.
    """
    read = read_results(results)
    rules = read_scores(scores, read)
    run = _Scope(read, rules, [("", "")], estimates.whole(read))
    parts = _Scope(read, rules, list(slices), estimates.slices(read, slices.values()))
    averages = [*_run_averages(run), *_slice_averages(parts)]
    found = estimates.means([one.averaged for one in averages], seed=seed)
    means = [
        metric
        for one, intervals in zip(averages, found, strict=True)
        for metric in one.scope.metrics(one.metric, intervals, shape=one.shape)
    ]
    metrics = [*_run_metrics(run, invalid), *_slice_metrics(parts), *means]
    position = {key: place for place, key in enumerate([*run.keys, *parts.keys])}
    return sorted(metrics, key=lambda metric: position[metric.family, metric.value])


@dataclass(frozen=True)
class _Scope:
    """The whole run, or all its slices."""

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


@dataclass(frozen=True)
class _Average:
    scope: _Scope
    metric: str
    averaged: Averaged
    shape: Distribution | None = None


def _run_metrics(run: _Scope, invalid: int) -> Iterator[Metric]:
    yield from _counts(run, invalid)
    yield from _rates(run)
    yield from _latencies(run, shape=distributions.latencies(_evaluated(run, "latency_ms")))
    for column in (*TOKENS, "cost"):
        yield from _sums(run, column)
    for rule in run.rules:
        unscored = np.isnan(rule.value)
        count = counted(int(unscored.sum()), len(unscored))
        yield from run.metrics(f"rule:{rule.rule}:unscored", [count])


def _slice_metrics(parts: _Scope) -> Iterator[Metric]:
    sizes = parts.cells.total(parts.results.tally(np.full(len(parts.results.record), True)))
    yield from parts.metrics("n", [counted(size, int(size)) for size in sizes.tolist()])
    yield from _rates(parts)
    yield from _latencies(parts)
    yield from _sums(parts, "cost")


def _counts(run: _Scope, invalid: int) -> Iterator[Metric]:
    counts = denominators(run.results, invalid=invalid)
    whole = {"total": counts.total, "valid": counts.total, "invalid": counts.total}
    whole |= dict.fromkeys(("evaluated", "failed", "skipped"), counts.valid)
    whole |= dict.fromkeys(("passed", "failed_contract", "unjudged"), counts.evaluated)
    for name, count in counts.model_dump().items():
        yield from run.metrics(name, [counted(count, whole[name])])


def _rates(scope: _Scope) -> Iterator[Metric]:
    """pass_rate is passed / (passed + failed the contract); failure_rate is failed / valid."""
    results = scope.results
    judged = results.tally(results.passed | results.failed_contract)
    passed = results.tally(results.passed)
    yield from _rate(scope, "pass_rate", passed, judged, "no result passed or failed the contract")
    everything = results.tally(np.full(len(results.record), True))
    failed = results.tally(results.failed)
    yield from _rate(scope, "failure_rate", failed, everything, "there is no result")
    for rule in scope.rules:
        passed, judged = rule.tally(rule.passed), rule.tally(rule.judged)
        nothing = f"rule {rule.rule} gave no verdict"
        yield from _rate(scope, f"rule:{rule.rule}:pass_rate", passed, judged, nothing)


def _rate(
    scope: _Scope, metric: str, hits: Floats, tries: Floats, nothing: str
) -> Iterator[Metric]:
    intervals = estimates.rates(scope.cells, hits, tries, nothing=nothing)
    records = scope.cells.total((tries > 0).astype(np.float64))
    return scope.metrics(metric, intervals, records=records)


def _latencies(scope: _Scope, shape: Distribution | None = None) -> Iterator[Metric]:
    latency = _evaluated(scope, "latency_ms")
    nothing = "no evaluated result has a latency"
    known = scope.results.tally(~np.isnan(latency))
    records = scope.cells.total((known > 0).astype(np.float64))
    for metric, q, own in (("latency_p50", 0.5, shape), ("latency_p95", 0.95, None)):
        intervals = estimates.percentiles(scope.cells, latency, q, nothing=nothing)
        yield from scope.metrics(metric, intervals, records=records, shape=own)


def _sums(scope: _Scope, column: str) -> Iterator[Metric]:
    values = scope.results.columns[column]
    known = scope.cells.total(scope.results.tally(~np.isnan(values)))
    totals = scope.cells.total(scope.results.sum(values))
    intervals = [
        counted(total, int(n)) if n else _unknown(column)
        for total, n in zip(totals.tolist(), known.tolist(), strict=True)
    ]
    return scope.metrics(f"{column}_sum", intervals)


def _run_averages(run: _Scope) -> Iterator[_Average]:
    score = _evaluated(run, "score")
    yield _score_mean(run, shape=distributions.scores(score))
    for column in (*TOKENS, "cost"):
        yield _mean_of(run, column)
    for rule in run.rules:
        nothing = f"rule {rule.rule} gave no score"
        shape = distributions.scores(rule.value)
        yield _Average(
            run, f"rule:{rule.rule}:mean", Averaged(run.cells, rule.average(), nothing), shape
        )


def _slice_averages(parts: _Scope) -> Iterator[_Average]:
    yield _score_mean(parts)
    yield _mean_of(parts, "cost")


def _score_mean(scope: _Scope, shape: Distribution | None = None) -> _Average:
    values = scope.results.average(_evaluated(scope, "score"))
    nothing = "no evaluated result has a score"
    return _Average(scope, "score_mean", Averaged(scope.cells, values, nothing), shape)


def _mean_of(scope: _Scope, column: str) -> _Average:
    values = scope.results.average(scope.results.columns[column])
    nothing = _unknown(column).reason
    return _Average(scope, f"{column}_mean", Averaged(scope.cells, values, nothing))


def _evaluated(scope: _Scope, column: str) -> Floats:
    return np.where(scope.results.evaluated, scope.results.columns[column], np.nan)


def _unknown(column: str) -> Interval:
    reason = f"no result has its {column.replace('_', ' ')}"
    return Interval(point=None, low=None, high=None, n=0, method="count", reason=reason)
