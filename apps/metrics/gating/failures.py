"""The regression of a failure rate: how many more may fail than of the baseline."""

import math

from apps.metrics import wilson
from apps.metrics.contracts import Interval
from apps.metrics.gated import Answer, Code, Finding

from .missing import not_measured, too_few
from .words import about, amount, capital, counted, estimate, estimated_change, points

METHOD = "newcombe"
SIDES = ("baseline", "candidate")
_MOST_GROWTH = 2.0**24


def failure_regression(
    baseline: Interval,
    candidate: Interval,
    *,
    budget: float,
    minimum: int,
    trials: tuple[int, int] = (1, 1),
    critical: int = 0,
    name: str = "the failure rate",
) -> Finding:
    """Whether the candidate's rate is above the baseline's by no more than the budget, a share.

    In this order: fewer than `minimum` of either is inconclusive; any of `critical` failures
    fails; the lower bound of the difference above the budget fails; the upper bound above it is
    inconclusive; else it passes. `minimum` counts records, of which the baseline and the candidate
    have so many `trials`; their n count tries.
    """
    noun = "records" if trials == (1, 1) else "tries"
    for which, rate, tries in zip(SIDES, (baseline, candidate), trials, strict=True):
        if rate.n < minimum * tries:
            return too_few(f"{name}, {which}", rate.n, minimum * tries, noun)
    if critical:
        return _critical(critical, name)
    difference = rate_difference(baseline, candidate)
    if difference.low is None or difference.high is None:
        return not_measured(difference, f"the difference in {name}")
    told = f"{capital(name)} went from {estimate(baseline, 'percent')} to "
    told += f"{estimate(candidate, 'percent')}, by {estimated_change(difference, 'percent')}; "
    told += f"the budget is {points(budget, 'percent')}, and"
    if difference.low > budget:
        return _found("fail", "rate_regression", f"{told} the whole interval lies above it.")
    if difference.high > budget:
        evidence = _evidence(baseline, candidate, budget, noun)
        reason = f"{told} the interval reaches above it."
        return _found("inconclusive", "insufficient_statistical_support", reason, evidence)
    return _found("pass", "within_regression_budget", f"{told} the whole interval lies within it.")


def rate_difference(baseline: Interval, candidate: Interval) -> Interval:
    """candidate - baseline of two independent rates, by their own intervals.

    Newcombe 1998 (Statistics in Medicine 17:873-890), method 10; as MOVER (Zou and Donner 2008) it
    holds for intervals of clustered rates too. n is that of the smaller side.
    """
    n = min(baseline.n, candidate.n)
    p, q = _bounded(baseline), _bounded(candidate)
    if p is None or q is None:
        why = next(each.reason for each in (baseline, candidate) if _bounded(each) is None)
        return Interval(point=None, low=None, high=None, n=n, method=METHOD, reason=why)
    low, point, high = _mover(p, q)
    return Interval(point=point, low=low, high=high, n=n, method=METHOD)


def _found(answer: Answer, code: Code, reason: str, evidence: str = "") -> Finding:
    return Finding(answer=answer, code=code, reason=reason, evidence=evidence)


def _critical(failures: int, name: str) -> Finding:
    verb = "is" if failures == 1 else "are"
    told = f"{capital(name)}: {counted(failures, 'failure')} of the candidate {verb} critical"
    return _found("fail", "critical_violation", f"{told}, and none may be.")


_Rate = tuple[float, float, float]
"""Its lower bound, itself, its upper bound."""


def _bounded(rate: Interval) -> _Rate | None:
    if rate.point is None or rate.low is None or rate.high is None:
        return None
    return rate.low, rate.point, rate.high


def _mover(baseline: _Rate, candidate: _Rate) -> _Rate:
    (low_p, p, high_p), (low_q, q, high_q) = baseline, candidate
    down, up = math.hypot(q - low_q, high_p - p), math.hypot(high_q - q, p - low_p)
    return q - p - down, q - p, q - p + up


def _evidence(baseline: Interval, candidate: Interval, budget: float, noun: str) -> str:
    growth = _growth(baseline, candidate, budget)
    if growth is None:
        return (
            f"No number of {noun} would settle it while the rates differ by the budget of "
            f"{amount(budget, 'percent')} itself."
        )
    more, has = about(growth * candidate.n), f"{candidate.n:,}"
    other = about(growth * baseline.n)
    return (
        f"About {more} {noun} of the candidate and {other} of the baseline would settle it, if "
        f"both rates stay as they are; here are {has} and {baseline.n:,}."
    )


def _growth(baseline: Interval, candidate: Interval, budget: float) -> float | None:
    """How many times as many would settle it, by halving the range where it does."""
    high = 1.0
    while not _settled(baseline, candidate, budget, high):
        high *= 2
        if high > _MOST_GROWTH:
            return None
    low = high / 2
    for _ in range(20):
        middle = (low + high) / 2
        settled = _settled(baseline, candidate, budget, middle)
        low, high = (low, middle) if settled else (middle, high)
    return high


def _settled(baseline: Interval, candidate: Interval, budget: float, growth: float) -> bool:
    low, _point, high = _mover(_grown(baseline, growth), _grown(candidate, growth))
    return low > budget or high <= budget


def _grown(rate: Interval, growth: float) -> _Rate:
    share = rate.point or 0.0
    low, high = wilson.bounds(share, growth * wilson.worth(rate))
    return low, share, high
