"""Why a verdict is what it is, in a sentence for people."""

from collections.abc import Iterator
from decimal import Decimal

from apps.metrics.compared import Difference
from apps.metrics.contracts import TOO_FEW, Interval

ALPHA = 0.05


def reason(found: Difference, tests: int) -> str:
    """What speaks for the verdict, or what is missing; `tests`: how many slices Holm counts."""
    if found.p is None:
        return found.difference.reason
    if found.n < TOO_FEW:
        return f"too few: {_counts(found)}, a verdict takes {TOO_FEW} compared records"
    tested = f"{_counts(found)}{_size(found)}: {_tested(found, tests)}"
    return "; ".join([tested, *_limits(found), *_close_calls(found), *_sensitivity(found)])


def amount(value: float, *, points: bool) -> str:
    """A difference for people: points for rates, three digits of anything else."""
    if points:
        told = _plain(f"{100 * value:.1f}" if abs(value) >= 0.01 else f"{100 * value:.2g}")
        return f"{told} {'point' if told == '1' else 'points'}"
    return f"{value:,.0f}" if abs(value) >= 1000 else _plain(f"{value:.3g}")


def p_value(p: float) -> str:
    """As statisticians write it: no zero before the point, more digits around 0.05."""
    if p < 0.001:
        return "p < .001"
    digits = 4 if 0.0495 <= p < 0.0505 else 3 if p < 0.0995 else 2
    text = f"{p:.{digits}f}"
    return "p = 1" if text == "1.00" else f"p = {text[1:]}"


def _in_points(found: Difference) -> bool:
    """A pass rate is told in points also where several trials give it values between 0 and 1."""
    return found.binary or found.metric.endswith("_rate")


def _plain(number: str) -> str:
    return f"{Decimal(number).normalize():f}"


def _counts(found: Difference) -> str:
    moves = found.moves
    return f"{moves.better:,} better and {moves.worse:,} worse of {found.n:,}"


def _size(found: Difference) -> str:
    point = found.difference.point
    if not point or (found.binary and found.verdict == "inconclusive"):
        return ""
    average = "" if found.binary else "on average "
    way = "higher" if point > 0 else "lower"
    return f", {average}{amount(abs(point), points=_in_points(found))} {way}"


def _tested(found: Difference, tests: int) -> str:
    alone = p_value(found.p or 0)
    if found.p_adjusted is None or tests == 1:
        return alone
    return f"{alone}, {p_value(found.p_adjusted)} after Holm's correction for {tests:,} slices"


def _limits(found: Difference) -> Iterator[str]:
    if found.verdict != "inconclusive":
        return
    if found.difference.low is None:
        yield found.difference.reason
    if found.detectable is not None:
        below = amount(found.detectable, points=_in_points(found))
        yield f"a difference below {below} would not show with so many records"


def _close_calls(found: Difference) -> Iterator[str]:
    apart = _leaves_out_zero(found.difference)
    if found.verdict != "inconclusive" and apart is False:
        yield "the interval still reaches 0: a close call"
    if found.verdict == "inconclusive" and apart is True:
        yield _apart(found)


def _apart(found: Difference) -> str:
    if found.p_adjusted is not None and (found.p or 0) <= ALPHA:
        return "alone it would count, among so many slices it may be chance"
    return "the interval leaves 0 out, the stricter test decides"


def _leaves_out_zero(interval: Interval) -> bool | None:
    if interval.low is None or interval.high is None:
        return None
    return interval.low > 0 or interval.high < 0


def _sensitivity(found: Difference) -> Iterator[str]:
    if found.verdict_with_errors not in (None, found.verdict):
        yield f"with errors as fails: {found.verdict_with_errors}"
