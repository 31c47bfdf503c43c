"""The thresholds of a grading contract held against what a run measured."""

from collections.abc import Mapping
from typing import Literal

from apps.contract import Contract
from apps.metrics.contracts import Interval

from .spec import AtLeast, AtMost, AtMostCost, AtMostMs, Thresholds

CheckVerdict = Literal["pass", "fail", "unsure", "unknown"]
METRICS = {
    "score": "score_mean",
    "pass_rate": "pass_rate",
    "worst_slice": "worst_slice",
    "failure_rate": "failure_rate",
    "latency_p95_ms": "latency_p95",
    "cost": "cost_mean",
}
"""Which metric of a run's summary each threshold is about."""
OF_RECORDS = {"score": "record_score_mean", "pass_rate": "record_pass_rate"}
"""What counts in their place where records had several trials: what these make of a record."""
Limit = AtLeast | AtMost | AtMostMs | AtMostCost


class Check(Contract):
    """One threshold of the contract: what was asked, what was measured, whether it holds.

    unsure: the interval lies on both sides of the limit. unknown: nothing was measured, and
    `reason` says why; of the worst slice it says which one that is. Scores and rates from 0 to 1,
    latency in ms, cost of one answer in the target's currency.
    """

    metric: str
    title: str
    limit: float
    at_least: bool
    by: Literal["lower", "upper", "point"]
    point: float | None
    bound: float | None
    verdict: CheckVerdict
    reason: str = ""


def check_thresholds(thresholds: Thresholds, measured: Mapping[str, Interval]) -> tuple[Check, ...]:
    """One Check for each threshold that is set; `measured` by the names of a run's summary.

    Of several trials a record counts as what the contract's `trials` makes of them.
    """
    limits = {name: getattr(thresholds, name) for name in METRICS}
    return tuple(
        _check(name, _metric(name, measured), limit, measured)
        for name, limit in limits.items()
        if limit is not None
    )


def _metric(name: str, measured: Mapping[str, Interval]) -> str:
    of_records = OF_RECORDS.get(name, "")
    return of_records if of_records in measured else METRICS[name]


def _check(name: str, metric: str, limit: Limit, found: Mapping[str, Interval]) -> Check:
    at_least, measured = isinstance(limit, AtLeast), found.get(metric)
    verdict, reason = _verdict(limit, measured)
    title = str(Thresholds.model_fields[name].title)
    return Check(
        metric=metric,
        title=f"{title} of records" if metric in OF_RECORDS.values() else title,
        limit=limit.at_least if isinstance(limit, AtLeast) else limit.at_most,
        at_least=at_least,
        by=limit.by,
        point=measured.point if measured else None,
        bound=_decisive(limit, measured) if measured else None,
        verdict=verdict,
        reason=reason or _whose(name, measured),
    )


def _verdict(limit: Limit, measured: Interval | None) -> tuple[CheckVerdict, str]:
    if measured is None or measured.point is None:
        return "unknown", measured.reason if measured else "Not measured yet."
    decisive = _decisive(limit, measured)
    if decisive is None:
        return "unknown", measured.reason
    if _holds(limit, decisive):
        return "pass", ""
    return ("unsure" if _holds(limit, _kindest(limit, measured)) else "fail"), ""


def _whose(name: str, measured: Interval | None) -> str:
    return measured.reason if measured and name == "worst_slice" else ""


def _decisive(limit: Limit, measured: Interval) -> float | None:
    bounds = {"lower": measured.low, "upper": measured.high, "point": measured.point}
    return bounds[limit.by]


def _kindest(limit: Limit, measured: Interval) -> float | None:
    if limit.by == "point":
        return measured.point
    return measured.high if limit.by == "lower" else measured.low


def _holds(limit: Limit, value: float | None) -> bool:
    if value is None:
        return False
    return value >= limit.at_least if isinstance(limit, AtLeast) else value <= limit.at_most
