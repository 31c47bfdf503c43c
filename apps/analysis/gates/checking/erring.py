"""A run's numbers as they would be with errors as fails. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from apps.analysis.gates.checking.grounds import Figures
from apps.analysis.gates.contracts import DecidedCounts
from apps.analysis.gates.policies.spec import FAILURE_RATE, is_rate
from apps.analysis.gates.telling.wording import counts_tries
from apps.metrics import wilson
from apps.metrics.contracts import TOO_FEW, Interval, Metric
from apps.metrics.gating import counting_errors
from apps.metrics.worst import worst_slice

ERRORS_AS_FAILS = ":errors_as_fails"
"""How the summary calls what is stored with errors as fails."""

LATENCIES = {"latency_p50": 0.5, "latency_p95": 0.95}
"""The share of the answers that came within each."""


@dataclass(frozen=True)
class Waits:
    """Of each try that was asked how long it took, and the number of its group or record.

    In ms; infinite where it ended with an error, NaN where the answer has no latency.
    """

    took: Sequence[float]
    together: Sequence[int]


def of_what_was_asked(rate: Interval, counts: DecidedCounts) -> Interval:
    """The failure rate without what was skipped, in which nothing could fail."""
    asked = counts.evaluated + counts.failed
    if not counts.skipped or None in (rate.point, rate.low, rate.high):
        return rate
    if not asked:
        reason = "nothing was asked"
        return Interval(point=None, low=None, high=None, n=0, method=rate.method, reason=reason)
    share = counts.failed / asked
    worth = min(1.0, wilson.worth(rate) / rate.n)
    low, high = wilson.bounds(share, asked * worth)
    return Interval(point=share, low=low, high=high, n=asked, method=rate.method)


def with_errors(
    metric: str, figures: Figures, counts: DecidedCounts, *, trials: int
) -> Interval | None:
    """None where it is no other number, or where it has no fail (cost, tokens).

    Latencies are counted anew, by `latency_with_errors`.
    """
    value = figures.get(metric)
    if not counts.failed or value is None or metric.endswith(ERRORS_AS_FAILS):
        return None
    if stored := figures.get(f"{metric}{ERRORS_AS_FAILS}"):
        return stored
    if metric == FAILURE_RATE or not is_rate(metric):
        return None
    return corrected_with_errors(metric, value, value, counts, trials=trials)


def corrected_with_errors(
    metric: str, value: Interval, raw: Interval, counts: DecidedCounts, *, trials: int
) -> Interval:
    """The value with errors beside the results that the raw number is of.

    What counts records has several tries each, all of which are held against the errors.
    """
    by_tries = trials == 1 or counts_tries(metric)
    return counting_errors(value, counts.failed, raw.n if by_tries else counts.evaluated)


def worst_with_errors(slices: Iterable[tuple[Interval, int]], *, trials: int) -> Interval:
    """Of the pass rate of each slice and how many of its tries ended with an error."""
    counted = [counting_errors(rate, errors) for rate, errors in slices]
    rates = [
        Metric(metric="pass_rate", interval=each, too_few=each.n < TOO_FEW * trials)
        for each in counted
    ]
    return worst_slice(rates).interval


def latency_with_errors(metric: str, value: Interval, waits: Waits) -> Interval:
    """Of all that was asked, as if an error took longer than any answer."""
    from apps.metrics.intervals import percentile  # scipy takes half a second

    found = percentile(waits.took, LATENCIES[metric], waits.together)
    return found.model_copy(update={"method": f"{value.method}, errors as fails"})
