"""A release that may not harm a part of the records while the whole holds."""

from collections.abc import Sequence
from statistics import NormalDist
from typing import Literal

from apps.metrics.compared import Difference
from apps.metrics.contracts import LEVEL, TOO_FEW, Interval, at_most
from apps.metrics.gated import Finding
from apps.metrics.words import family_name

from .differences import non_inferiority
from .missing import not_measured
from .words import Unit, capital, counted, estimated_change, points

Proof = Literal["no_harm_seen", "non_inferior"]
"""That nothing speaks against a slice, or that something speaks for it."""


def slice_harm(
    differences: Sequence[Difference],
    *,
    margin: float,
    proof: Proof,
    minimum: int,
    name: str = "the pass rate",
    unit: Unit = "percent",
) -> list[Finding]:
    """One finding a slice, in their order; all slices of one metric together.

    `no_harm_seen` fails a slice that is worse by the test, adjusted by Holm for all slices, and
    whose estimate is beyond the margin: where no slice is worse, some slice fails in at most 2.5 %
    of cases. What passes without its interval lying within the margin is `no_harm_seen` only, and
    says what could have been missed. `non_inferior` asks each slice what the whole is asked, by
    intervals widened for how many slices are asked (Bonferroni). A slice of fewer than `minimum`
    records, or than 20, is too small either way.
    """
    minimum = max(minimum, TOO_FEW)
    if proof == "no_harm_seen":
        return [_harm(each, margin, minimum, _of(each, name), unit) for each in differences]
    asked = sum(_is_asked(each, minimum) for each in differences)
    return [_no_worse(each, margin, minimum, asked, _of(each, name), unit) for each in differences]


def widened(interval: Interval, times: int) -> Interval:
    """At the level that leaves 5 % for all of `times` intervals together, by the normal."""
    if times < 2 or interval.point is None or interval.low is None or interval.high is None:
        return interval
    level = 1 - (1 - LEVEL) / times
    factor = _z(level) / _z(LEVEL)
    point = interval.point
    bounds = {
        "low": point - factor * (point - interval.low),
        "high": point + factor * (interval.high - point),
    }
    return interval.model_copy(update={**bounds, "level": level})


def _harm(each: Difference, margin: float, minimum: int, name: str, unit: Unit) -> Finding:
    point = each.difference.point
    if point is None or each.difference.n < minimum:
        return _too_few_to_see(each, minimum, name)
    told = f"{capital(name)} differs from the baseline's by "
    told += estimated_change(each.difference, unit)
    is_worse, size = each.verdict == "worse", points(margin, unit)
    if is_worse:
        told += ", worse by the test adjusted for all slices"
    if is_worse and (-point if each.higher_is_better else point) > margin:
        reason = f"{told}, and beyond the margin of {size}."
        return Finding(answer="fail", code="slice_worse", reason=reason)
    if _excludes_loss(each, margin):
        reason = f"{told}; the interval excludes {_loss(margin, unit)}."
        return Finding(answer="pass", code="holds", reason=reason)
    seen = f", and within the margin of {size}" if is_worse else ": no harm seen"
    missed = f"n = {each.difference.n:,} {too_small(margin, unit)}. {_missed(each, unit)}"
    return Finding(answer="pass", code="no_harm_seen", reason=f"{told}{seen}. {missed}")


def too_small(margin: float, unit: Unit) -> str:
    """What n is where no harm was seen, and none was excluded."""
    return f"is too small to exclude {_loss(margin, unit)}"


def _loss(margin: float, unit: Unit) -> str:
    return f"a loss of more than {points(margin, unit)}" if margin else "a loss"


def _excludes_loss(each: Difference, margin: float) -> bool:
    """Whether the slice alone is shown to be no worse by more than the margin."""
    if nothing_differs(each):
        return (at_most(each.n) or 1.0) <= margin
    direction = each.higher_is_better
    found = non_inferiority(each.difference, margin=margin, higher_is_better=direction, minimum=0)
    return found.answer == "pass"


def nothing_differs(each: Difference) -> bool:
    """Every record has the same value in both, so that no interval can be made.

    Not where records come in groups: a few groups have no interval either, and so many records say
    less than as many that have nothing to do with each other.
    """
    has_none = each.difference.point == 0 and each.difference.low is None
    grouped = "clustered" in each.difference.method
    return has_none and not grouped and each.moves.same == each.n


def _too_few_to_see(each: Difference, minimum: int, name: str) -> Finding:
    """Nothing is said of a small slice; one that looks worse all the same is not passed."""
    n, errors = each.difference.n, each.moves.error
    erred = f" and {errors:,} more with an error" if errors else ""
    told = f"{capital(name)}: {counted(n, 'record')} to compare{erred}, where it takes {minimum:,}"
    if each.verdict == "worse":
        return Finding(
            answer="inconclusive",
            code="insufficient_samples",
            reason=f"{told}, and they look worse.",
            evidence=f"It takes {minimum:,} records of this slice; here are {n:,}.",
        )
    return Finding(
        answer="pass",
        code="insufficient_samples",
        reason=f"{told}: too few to see harm, so nothing is said of it.",
    )


def _missed(each: Difference, unit: Unit) -> str:
    if each.detectable is None:
        return "What could have been missed is not known."
    return f"A change below {points(each.detectable, unit)} could have been missed."


def _no_worse(
    each: Difference, margin: float, minimum: int, asked: int, name: str, unit: Unit
) -> Finding:
    if each.difference.point is None:
        return not_measured(each.difference, f"the difference in {name}")
    found = non_inferiority(
        widened(each.difference, asked),
        margin=margin,
        higher_is_better=each.higher_is_better,
        minimum=minimum,
        name=name,
        unit=unit,
    )
    if asked < 2 or found.code in ("insufficient_samples", "not_measured"):
        return found
    reason = f"{found.reason} The interval is widened for {asked:,} slices (Bonferroni)."
    return found.model_copy(update={"reason": reason})


def _is_asked(each: Difference, minimum: int) -> bool:
    return each.difference.low is not None and each.difference.n >= minimum


def _of(each: Difference, name: str) -> str:
    return f"{name} of {family_name(each.family)} “{each.value}”"


def _z(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)
