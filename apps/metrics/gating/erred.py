"""What errors would come to if each were a fail, and what a gate makes of that."""

import math

from apps.metrics import wilson
from apps.metrics.contracts import Interval
from apps.metrics.gated import Finding

WITH_ERRORS = "With errors as fails the answer would be"
"""How what is said of errors begins, behind the reason."""

RETRY = "Retry what failed, or give the policy a limit on failures."


def counting_errors(value: Interval, errors: int, n: int | None = None) -> Interval:
    """A rate or a mean from 0 to 1 if each of `errors` counted as 0 beside the n behind it.

    It is the value times the share without an error. Bounds by MOVER for a product of independent
    estimates (Zou and Donner 2008, with the variance of a product to first order), Wilson's for the
    share. n is the value's own unless it is given.
    """
    without = value.n if n is None else n
    if not errors or (value.point is None and without):
        return value
    total = without + errors
    share, found = without / total, value.point or 0.0
    ends = wilson.bounds(share, total * _independent(value))
    low, high = (
        _bound(share, found, end, bound, sign) if without else end
        for end, bound, sign in zip(ends, (value.low, value.high), (-1, 1), strict=True)
    )
    return Interval(
        point=share * found,
        low=low,
        high=high,
        n=total,
        method=f"{value.method}, errors as fails",
        reason=value.reason if None in (low, high) else "",
    )


def weighed(finding: Finding, with_errors: Finding, *, limited: bool) -> Finding:
    """The finding, with what it would be with errors as fails where that is another answer.

    `limited`: the policy has a limit on failures, which is then all that they are held to. Where it
    has none, what passes only because errors count as nothing is inconclusive.
    """
    if finding.answer == with_errors.answer:
        return finding
    told = f"{finding.reason} {WITH_ERRORS} {with_errors.answer}"
    if limited or finding.answer != "pass":
        return finding.model_copy(update={"reason": f"{told}."})
    return Finding(
        answer="inconclusive",
        code="not_measured"
        if finding.code == "insufficient_samples"
        else "insufficient_statistical_support",
        reason=f"{told}, and the policy has no limit on failures.",
        evidence=RETRY,
    )


def _bound(
    share: float, value: float, share_bound: float, bound: float | None, sign: int
) -> float | None:
    if bound is None:
        return None
    away = math.hypot(share * (bound - value), value * (share_bound - share))
    return min(1.0, max(0.0, share * value + sign * away))


def _independent(value: Interval) -> float:
    """How much of a try each is worth, where a rate's tries are clustered; 1 elsewhere."""
    if not value.method.startswith("wilson") or None in (value.point, value.low, value.high):
        return 1.0
    return min(1.0, wilson.worth(value) / value.n)
