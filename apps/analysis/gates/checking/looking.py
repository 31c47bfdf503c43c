"""Gathering what a gate looks at: stored numbers, verdicts of rules, the comparison."""

import math
from collections.abc import Iterable, Mapping

from django.db.models import Count, Q

from apps.analysis.calibration.known import corrected_of
from apps.analysis.comparing import body_of
from apps.analysis.gates.checking.erring import (
    LATENCIES,
    Waits,
    latency_with_errors,
    of_what_was_asked,
    with_errors,
    worst_with_errors,
)
from apps.analysis.gates.checking.grounds import Figures, Grounds, Judged, Verdicts
from apps.analysis.gates.contracts import DecidedCounts, DecidedRun
from apps.analysis.gates.policies.baselines import left_out
from apps.analysis.gates.policies.spec import FAILURE_RATE, PolicySpec
from apps.analysis.models import Comparison
from apps.metrics.contracts import Interval
from apps.runs.models import Result, ResultStatus, Run, Score, Summary
from apps.runs.queries.figures import figures_of, interval_of
from apps.runs.queries.progress import counts_of
from apps.runs.working.carrying import BROKE

WORST = "worst_slice"
_FAILED = Q(verdict__in=("fail", "warn"))
_JUDGED = Q(verdict__in=("pass", "fail", "warn"))
_UNSCORED = Q(verdict="error") | Q(verdict="skip", result__verdict="unjudged")
"""A rule that could not say where its word was needed; where it does not apply it is not needed."""


def grounds_of(
    spec: PolicySpec, run: Run, baseline: Run | None, comparison: Comparison | None
) -> Grounds:
    """A dozen queries at most, none over results but the counts, and latencies beside errors."""
    told = run_as_it_is(run)
    before = run_as_it_is(baseline) if baseline else None
    figures = _figures(run, told.counts)
    return Grounds(
        spec=spec,
        run=told,
        figures=figures,
        trials=run.trials,
        strict=_strict(run, spec, figures, told.counts),
        baseline=before,
        baseline_figures=_figures(baseline, before.counts) if baseline and before else {},
        baseline_trials=baseline.trials if baseline else 1,
        paired=body_of(comparison) if comparison else None,
        contract_rules=_contract_rules(run) if spec.blocking_rules else frozenset(),
        verdicts=_verdicts(run, spec.blocking_rules),
        judged=_judged(run, _metrics(spec)),
        baseline_judged=_judged(baseline, _compared(spec)) if baseline else {},
    )


def run_as_it_is(run: Run) -> DecidedRun:
    counts = counts_of(run).denominators.model_dump(exclude={"waiting"})
    return DecidedRun(
        id=run.pk,
        title=run.title,
        kind=run.kind,
        state=run.state,
        dataset=str(run.dataset_version),
        contract=str(run.contract_version) if run.contract_version else "",
        plan_sha256=run.plan_sha256,
        counted_in=run.counted_in,
        counts=DecidedCounts.model_validate(counts),
        left_out=left_out(run) * run.trials,
    )


def _figures(run: Run, counts: DecidedCounts) -> Figures:
    figures = dict(figures_of(run).metrics)
    if rate := figures.get(FAILURE_RATE):
        figures[FAILURE_RATE] = of_what_was_asked(rate, counts)
    return figures


def _strict(run: Run, spec: PolicySpec, figures: Figures, counts: DecidedCounts) -> Figures:
    """Of the metrics that have a limit."""
    if not counts.failed:
        return {}
    found = {
        each.metric: with_errors(each.metric, figures, counts, trials=run.trials)
        for each in spec.metrics
    }
    if WORST in found:
        found[WORST] = _worst_slice(run)
    if latencies := found.keys() & LATENCIES & figures.keys():
        waits = _waits(run)
        found |= {name: latency_with_errors(name, figures[name], waits) for name in latencies}
    return {metric: value for metric, value in found.items() if value is not None}


def _worst_slice(run: Run) -> Interval:
    """With errors as fails; one query over the slices."""
    rows = Summary.objects.filter(run=run, metric__in=("pass_rate", FAILURE_RATE))
    found: dict[tuple[str, str], dict[str, Interval]] = {}
    for row in rows.exclude(family=""):
        found.setdefault((row.family, row.value), {})[row.metric] = interval_of(row)
    slices = [
        (each["pass_rate"], round((each[FAILURE_RATE].point or 0.0) * each[FAILURE_RATE].n))
        for each in found.values()
        if len(each) == 2
    ]
    return worst_with_errors(slices, trials=run.trials)


def _waits(run: Run) -> Waits:
    """One query over the results; a record without a group is one with its own tries."""
    asked = Result.objects.filter(run=run).exclude(status=ResultStatus.CANCELLED)
    rows = asked.values_list("status", "cause", "latency_ms", "ordinal", "record__group")
    took, together = [], []
    numbers: dict[str | int, int] = {}
    for status, cause, latency, ordinal, group in rows.iterator():
        took.append(_took(status, cause, latency))
        together.append(numbers.setdefault(group or ordinal, len(numbers)))
    return Waits(took, together)


def _took(status: str, cause: str, latency: int | None) -> float:
    """What was answered, and only not judged, took the time that it took."""
    if status != ResultStatus.COMPLETED and cause not in BROKE:
        return math.inf
    return math.nan if latency is None else latency


def _contract_rules(run: Run) -> frozenset[str]:
    version = run.contract_version
    return frozenset(rule.name for rule in version.parsed.rules) if version else frozenset()


def _verdicts(run: Run, rules: Iterable[str]) -> Mapping[str, Verdicts]:
    """By rule, counted in results: several judges of one answer are one verdict."""
    named = list(rules)
    if not named:
        return {}
    rows = Score.objects.filter(run=run, rule__in=named).order_by("rule").values("rule")
    counted = rows.annotate(
        failed=Count("result", filter=_FAILED, distinct=True),
        judged=Count("result", filter=_JUDGED, distinct=True),
        unscored=Count("result", filter=_UNSCORED, distinct=True),
        imported=Count("result", filter=Q(verdict=""), distinct=True),
    )
    names = ("rule", "failed", "judged", "unscored", "imported")
    return {rule: Verdicts(*counts) for rule, *counts in counted.values_list(*names)}


def _judged(run: Run, metrics: Iterable[str]) -> Mapping[str, Judged]:
    """An entry for each of the metrics that rests on a judge."""
    found = {metric: corrected_of(run, metric) for metric in sorted(metrics)}
    return {
        metric: Judged(known.labels, known.interval, known.why, known.address)
        for metric, known in found.items()
        if known is not None
    }


def _metrics(spec: PolicySpec) -> set[str]:
    rules = (f"rule:{rule}:pass_rate" for rule in spec.blocking_rules)
    return {*(check.metric for check in spec.metrics), *_compared(spec), *rules}


def _compared(spec: PolicySpec) -> set[str]:
    """Those that are held against the baseline's."""
    margins = (check.metric for check in spec.metrics if check.margin is not None)
    return {*margins, *(each.metric for each in spec.slices)}
