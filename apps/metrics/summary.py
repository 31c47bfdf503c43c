"""The summary of a run: every number of the run page and of the metrics artifacts.

For the whole run: the fields of Denominators; `pass_rate`, `failure_rate`; `worst_slice` (see
`worst`); what several trials of a record add (see `trials`); `score_mean` and `latency_p50` (both
with a shape), `latency_p95`; `input_tokens_…`, `output_tokens_…`, `total_tokens_…` and `cost_…`
as `…_sum` and `…_mean`; for each rule `rule:<name>:pass_rate`, `rule:<name>:mean` (with a shape)
and `rule:<name>:unscored`. For each slice: `n`, `pass_rate`, `failure_rate`, `score_mean`,
`latency_p50`, `latency_p95`, `cost_sum`, `cost_mean` and `rule:<name>:pass_rate`.

Scores and latencies are of evaluated results; tokens and cost are of every result, because what
failed was paid for as well. Rates count results, means average the trials of a record first, and
intervals hold groups and trials together.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from apps.metrics import cells as estimates
from apps.metrics import distributions
from apps.metrics.arrays import Floats
from apps.metrics.cells import Averaged
from apps.metrics.contracts import Distribution, Interval, Metric, counted
from apps.metrics.denominators import denominators
from apps.metrics.results import Frame, read_results, read_scores
from apps.metrics.scopes import Average, Scope
from apps.metrics.trials import Trials, trial_averages, trial_metrics
from apps.metrics.worst import worst_slice

TOKENS = ("input_tokens", "output_tokens", "total_tokens")


def summarise(
    results: Frame,
    scores: Frame,
    slices: Mapping[tuple[str, str], npt.ArrayLike],
    *,
    invalid: int = 0,
    trials: Trials | None = None,
    seed: int,
) -> list[Metric]:
    """The metrics of a run, the whole first.

    `results`: the columns of `results.COLUMNS`, a row per record and trial; latencies in ms, cost
    in the currency of the target, '' for no group. `scores`: ordinal, trial, rule, value, verdict.
    `slices`: the ordinals of each (family, value). `invalid`: how many trials of rejected records
    there would have been. `trials`: where each record has several.
    """
    read = read_results(results)
    rules = read_scores(scores, read)
    run = Scope(read, rules, [("", "")], estimates.whole(read))
    parts = Scope(read, rules, list(slices), estimates.slices(read, slices.values()))
    averages = [*_run_averages(run, trials), *_slice_averages(parts)]
    found = estimates.means([one.averaged for one in averages], seed=seed)
    means = [
        metric
        for one, intervals in zip(averages, found, strict=True)
        for metric in one.scope.metrics(one.metric, intervals, shape=one.shape)
    ]
    sliced = list(_slice_metrics(parts))
    worst = worst_slice([metric for metric in sliced if metric.metric == "pass_rate"])
    metrics = [*_run_metrics(run, invalid, trials), worst, *sliced, *means]
    position = {key: place for place, key in enumerate([*run.keys, *parts.keys])}
    return sorted(metrics, key=lambda metric: position[metric.family, metric.value])


def _run_metrics(run: Scope, invalid: int, trials: Trials | None) -> Iterator[Metric]:
    yield from _counts(run, invalid)
    yield from _rates(run)
    yield from _latencies(run, shape=distributions.latencies(_evaluated(run, "latency_ms")))
    for column in (*TOKENS, "cost"):
        yield from _sums(run, column)
    for rule in run.rules:
        unscored = np.isnan(rule.value)
        count = counted(int(unscored.sum()), len(unscored))
        yield from run.metrics(f"rule:{rule.rule}:unscored", [count])
    if trials is not None:
        yield from trial_metrics(run, trials)


def _slice_metrics(parts: Scope) -> Iterator[Metric]:
    sizes = parts.cells.total(parts.results.tally(np.full(len(parts.results.record), True)))
    yield from parts.metrics("n", [counted(size, int(size)) for size in sizes.tolist()])
    yield from _rates(parts)
    yield from _latencies(parts)
    yield from _sums(parts, "cost")


def _counts(run: Scope, invalid: int) -> Iterator[Metric]:
    counts = denominators(run.results, invalid=invalid)
    whole = {"total": counts.total, "valid": counts.total, "invalid": counts.total}
    whole |= dict.fromkeys(("evaluated", "failed", "skipped"), counts.valid)
    whole |= dict.fromkeys(("passed", "failed_contract", "unjudged"), counts.evaluated)
    for name, count in counts.model_dump().items():
        yield from run.metrics(name, [counted(count, whole[name])])


def _rates(scope: Scope) -> Iterator[Metric]:
    """pass_rate is passed / (passed + failed the contract); failure_rate is failed / valid."""
    results = scope.results
    judged = results.tally(results.passed | results.failed_contract)
    passed = results.tally(results.passed)
    nothing = "no result passed or failed the contract"
    yield from scope.rates("pass_rate", passed, judged, nothing)
    everything = results.tally(np.full(len(results.record), True))
    failed = results.tally(results.failed)
    yield from scope.rates("failure_rate", failed, everything, "there is no result")
    for rule in scope.rules:
        passed, judged = rule.tally(rule.passed), rule.tally(rule.judged)
        nothing = f"rule {rule.rule} gave no verdict"
        yield from scope.rates(f"rule:{rule.rule}:pass_rate", passed, judged, nothing)


def _latencies(scope: Scope, shape: Distribution | None = None) -> Iterator[Metric]:
    latency = _evaluated(scope, "latency_ms")
    nothing = "no evaluated result has a latency"
    known = scope.results.tally(~np.isnan(latency))
    records = scope.cells.total((known > 0).astype(np.float64))
    for metric, q, own in (("latency_p50", 0.5, shape), ("latency_p95", 0.95, None)):
        intervals = estimates.percentiles(scope.cells, latency, q, nothing=nothing)
        yield from scope.metrics(metric, intervals, records=records, shape=own)


def _sums(scope: Scope, column: str) -> Iterator[Metric]:
    values = scope.results.columns[column]
    known = scope.cells.total(scope.results.tally(~np.isnan(values)))
    totals = scope.cells.total(scope.results.sum(values))
    intervals = [
        counted(total, int(n)) if n else _unknown(column)
        for total, n in zip(totals.tolist(), known.tolist(), strict=True)
    ]
    return scope.metrics(f"{column}_sum", intervals)


def _run_averages(run: Scope, trials: Trials | None) -> Iterator[Average]:
    score = _evaluated(run, "score")
    yield _score_mean(run, shape=distributions.scores(score))
    for column in (*TOKENS, "cost"):
        yield _mean_of(run, column)
    for rule in run.rules:
        nothing = f"rule {rule.rule} gave no score"
        shape = distributions.scores(rule.value)
        yield Average(
            run, f"rule:{rule.rule}:mean", Averaged(run.cells, rule.average(), nothing), shape
        )
    if trials is not None:
        yield from trial_averages(run, trials)


def _slice_averages(parts: Scope) -> Iterator[Average]:
    yield _score_mean(parts)
    yield _mean_of(parts, "cost")


def _score_mean(scope: Scope, shape: Distribution | None = None) -> Average:
    values = scope.results.average(_evaluated(scope, "score"))
    nothing = "no evaluated result has a score"
    return Average(scope, "score_mean", Averaged(scope.cells, values, nothing), shape)


def _mean_of(scope: Scope, column: str) -> Average:
    values = scope.results.average(scope.results.columns[column])
    nothing = _unknown(column).reason
    return Average(scope, f"{column}_mean", Averaged(scope.cells, values, nothing))


def _evaluated(scope: Scope, column: str) -> Floats:
    return np.where(scope.results.evaluated, scope.results.columns[column], np.nan)


def _unknown(column: str) -> Interval:
    reason = f"no result has its {column.replace('_', ' ')}"
    return Interval(point=None, low=None, high=None, n=0, method="count", reason=reason)
