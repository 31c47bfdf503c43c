"""Metrics of the run held against limits of their own. Pure."""

from collections.abc import Iterator
from typing import Any

from apps.analysis.gates.checking.erring import corrected_with_errors
from apps.analysis.gates.checking.grounds import Grounds
from apps.analysis.gates.checking.judged import corrected_where_asked, correction, not_calibrated
from apps.analysis.gates.contracts import Check, Evidence, Side
from apps.analysis.gates.policies.spec import FAILURE_RATE, By, rule_of
from apps.analysis.gates.telling.wording import counts_tries, limit_title, name_of, unit_of
from apps.metrics.contracts import Interval
from apps.metrics.gated import Finding
from apps.metrics.gating import threshold, weighed

MISSED = "missed"
"""How the filter of results calls what is below a rule's threshold."""


def limit_checks(grounds: Grounds) -> Iterator[Check]:
    """One for each limit of each metric."""
    for each in grounds.spec.metrics:
        if each.at_least is not None:
            yield _check(grounds, each.metric, "at_least", each.at_least, each.by)
        if each.at_most is not None:
            yield _check(grounds, each.metric, "at_most", each.at_most, each.by)


def failure_limit(grounds: Grounds) -> Iterator[Check]:
    """The limit of the share of results that failed with an error, where there is one."""
    limit = grounds.spec.failure_rate_at_most
    if limit is not None:
        found = _check(grounds, FAILURE_RATE, "at_most", limit, "bound")
        yield found.model_copy(update={"key": "failures:at_most", "what": "failures"})


def minimum_of(grounds: Grounds, metric: str) -> int:
    """The policy's minimum in what the metric counts."""
    return grounds.spec.minimum_n * (grounds.trials if counts_tries(metric) else 1)


def noun_of(grounds: Grounds, metric: str) -> str:
    return "tries" if grounds.trials > 1 and counts_tries(metric) else "records"


def evidence_of(grounds: Grounds, metric: str) -> tuple[Evidence, ...]:
    """The results that a metric suffers from, and the judge that it rests on."""
    judged = grounds.judged.get(metric)
    address = judged.address if judged else ""
    judges = Evidence(kind="judges", parameters={"address": address})
    return (_results(metric), judges) if address else (_results(metric),)


def _check(grounds: Grounds, metric: str, side: Side, limit: float, by: By) -> Check:
    raw = grounds.figures.get(metric) or _missing()
    corrected = corrected_where_asked(grounds, metric)
    finding = not_calibrated(grounds, metric) or _finding(grounds, metric, side, limit, by)
    judged = grounds.judged.get(metric)
    return Check(
        key=f"{metric}:{side}",
        title=limit_title(metric, side, limit),
        what="metric",
        finding=finding,
        metric=metric,
        side=side,
        limit=limit,
        observed=corrected or raw,
        raw=raw if judged else None,
        corrected=judged.corrected if judged else None,
        correction=correction(grounds, metric, finding),
        evidence=evidence_of(grounds, metric),
    )


def _finding(grounds: Grounds, metric: str, side: Side, limit: float, by: By) -> Finding:
    """By the number that counts, weighed against what it would be with errors as fails."""
    held = corrected_where_asked(grounds, metric) or grounds.figures.get(metric) or _missing()
    finding = _threshold(grounds, metric, held, side, limit, by)
    strict = _with_errors(grounds, metric)
    if strict is None:
        return finding
    other = _threshold(grounds, metric, strict, side, limit, by)
    return weighed(finding, other, limited=grounds.limits_failures)


def _with_errors(grounds: Grounds, metric: str) -> Interval | None:
    corrected, raw = corrected_where_asked(grounds, metric), grounds.figures.get(metric)
    if corrected is None or raw is None or not grounds.run.counts.failed:
        return grounds.strict.get(metric)
    counts = grounds.run.counts
    return corrected_with_errors(metric, corrected, raw, counts, trials=grounds.trials)


def _threshold(
    grounds: Grounds, metric: str, held: Interval, side: Side, limit: float, by: By
) -> Finding:
    bound: dict[str, Any] = {side: limit}
    return threshold(
        held,
        **bound,
        by=by,
        minimum=minimum_of(grounds, metric),
        name=name_of(metric),
        unit=unit_of(metric),
        noun=noun_of(grounds, metric),
    )


def _results(metric: str) -> Evidence:
    if rule := rule_of(metric):
        return Evidence(kind="results", parameters={"rule": f"{rule}:{MISSED}"})
    if metric == FAILURE_RATE:
        return Evidence(kind="results", parameters={"outcome": "failed"})
    if "pass" in metric or "score" in metric or metric == "worst_slice":
        return Evidence(kind="results", parameters={"outcome": "failed_contract"})
    return Evidence(kind="run")


def _missing() -> Interval:
    reason = "the run has no such number"
    return Interval(point=None, low=None, high=None, n=0, method="", reason=reason)
